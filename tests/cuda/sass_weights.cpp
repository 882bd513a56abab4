// Of each kernel that multiplies weights, by formats: how many instructions of which kind a weight takes.
// usage: sass_weights KERNELS ARCHITECTURE LISTING     KERNELS: the folder of sources; LISTING: of nvdisasm -gi -c
//        sass_weights --columns                        the names of what it prints
//        sass_weights --flights KERNELS ARCHITECTURE LISTING USAGE
//            how many of its loads a multiprocessor has under way; USAGE: of cuobjdump -res-usage
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <string_view>

#include "format/dtype_table.h"
#include "support/sass/occupancy.h"
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
    fmt::print(stderr, "{}\n", costs.error().message.text());
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
    fmt::print(stderr, "{}\n", !lines ? lines.error().message.text() : functions.error().message.text());
    return 1;
  }
  int status = 0;
  for (const SassFunction& function : *functions) {
    for (const Result<WeightCosts>& costs : weight_costs(function, *lines, architecture))
      if (!print_costs(function.name, costs)) status = 1;
  }
  return status;
}

struct Usage {
  int registers = 0, shared_bytes = 0;
};

// By kernel.
std::map<std::string, Usage> read_usage(const char* path) {
  static const std::regex of_function(R"(Function (\w+):)"), of_usage(R"(REG:(\d+) .*SHARED:(\d+))");
  std::map<std::string, Usage> found;
  std::ifstream text(path);
  std::string line, name;
  for (std::smatch match; std::getline(text, line);) {
    if (std::regex_search(line, match, of_function)) name = match[1];
    if (std::regex_search(line, match, of_usage)) found[name] = {std::stoi(match[1]), std::stoi(match[2])};
  }
  return found;
}

constexpr int kMostThreads = 512;    // kernels/matvec.cu
constexpr int kLoadBytes = 32 * 16;  // of a warp

bool print_flight(const std::string& kernel, const Result<WeightFlight>& flight, int warps, int registers) {
  if (!flight) {
    fmt::print(stderr, "{}\n", flight.error().message.text());
    return false;
  }
  fmt::print("{}\t{}\t{}\t{:.0f}\t{}\t{}\t{}\t{}\t{}\n", kernel, dtype_row(flight->format).name, flight->loads,
             flight->distance, flight->prefetches, registers, warps, flight->loads * kLoadBytes * warps / 1024,
             flight->prefetches * kLoadBytes * warps / 1024);
  return true;
}

int print_flights(const char* kernels, int architecture, const char* listing, const char* usage_path) {
  const Result<WeightLines> lines = weight_lines(kernels);
  std::ifstream text(listing);
  const Result<std::vector<SassFunction>> functions = read_sass(text);
  if (!lines || !functions) {
    fmt::print(stderr, "{}\n", !lines ? lines.error().message.text() : functions.error().message.text());
    return 1;
  }
  const auto limits = std::ranges::find(kSmLimits, architecture, &SmLimits::architecture);
  const std::map<std::string, Usage> usage = read_usage(usage_path);
  int status = 0;
  for (const SassFunction& function : *functions) {
    const auto used = usage.find(function.name);
    if (limits == kSmLimits.end() || used == usage.end()) {
      fmt::print(stderr, "{}: expected its registers, of an architecture that is known\n", function.name);
      return 1;
    }
    const Usage& of = used->second;
    // cuobjdump counts what newer cards reserve of a block's shared memory, which occupancy_of() adds.
    const int shared_bytes = of.shared_bytes - (architecture >= 90 ? limits->reserved_bytes : 0);
    const int warps = occupancy_of(*limits, kMostThreads, of.registers, shared_bytes).warps;
    for (const Result<WeightFlight>& flight : weight_flights(function, *lines))
      if (!print_flight(function.name, flight, warps, of.registers)) status = 1;
  }
  return status;
}

}  // namespace
}  // namespace headroom::test

int main(int n_args, char** args) {
  if (n_args == 2 && std::string_view(args[1]) == "--columns") return headroom::test::print_columns();
  if (n_args == 4) return headroom::test::weigh(args[1], std::atoi(args[2]), args[3]);
  if (n_args == 6 && std::string_view(args[1]) == "--flights")
    return headroom::test::print_flights(args[2], std::atoi(args[3]), args[4], args[5]);
  fmt::print(stderr, "usage: sass_weights KERNELS ARCHITECTURE LISTING, or --columns\n");
  return 2;
}
