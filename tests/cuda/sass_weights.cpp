// Of each kernel that multiplies weights, by formats: how many instructions of which kind a weight takes.
// usage: sass_weights KERNELS ARCHITECTURE LISTING     KERNELS: the folder of sources; LISTING: of nvdisasm -gi -c
//        sass_weights --columns                        the names of what it prints
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "format/dtype_table.h"
#include "support/sass/weights.h"

namespace headroom::test {
namespace {

int print_columns() {
  fmt::print("kernel\tformat");
  for (const std::string_view name : kSassKindNames) fmt::print("\t{}", name);
  fmt::print("\tall\n");
  return 0;
}

// Whether it was understood.
bool print_costs(const std::string& kernel, const Result<WeightCosts>& costs) {
  if (!costs) {
    fmt::print(stderr, "{}\n", costs.error().message);
    return false;
  }
  fmt::print("{}\t{}", kernel, dtype_row(costs->format).name);
  double all = 0;
  for (const double of_kind : costs->of_kinds) {
    fmt::print("\t{:.3f}", of_kind);
    all += of_kind;
  }
  fmt::print("\t{:.3f}\n", all);
  return true;
}

int weigh(const char* kernels, int architecture, const char* listing) {
  const Result<WeightLines> lines = weight_lines(kernels);
  std::ifstream text(listing);
  const Result<std::vector<SassFunction>> functions = read_sass(text);
  if (!lines || !functions) {
    fmt::print(stderr, "{}\n", !lines ? lines.error().message : functions.error().message);
    return 1;
  }
  int status = 0;
  for (const SassFunction& function : *functions) {
    for (const Result<WeightCosts>& costs : weight_costs(function, *lines, architecture))
      if (!print_costs(function.name, costs)) status = 1;
  }
  return status;
}

}  // namespace
}  // namespace headroom::test

int main(int n_args, char** args) {
  if (n_args == 2 && std::string_view(args[1]) == "--columns") return headroom::test::print_columns();
  if (n_args == 4) return headroom::test::weigh(args[1], std::atoi(args[2]), args[3]);
  fmt::print(stderr, "usage: sass_weights KERNELS ARCHITECTURE LISTING, or --columns\n");
  return 2;
}
