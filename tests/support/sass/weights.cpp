#include "support/sass/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <regex>

#include "format/dtype_table.h"
#include "support/sass/answers.h"
#include "support/sass/flight.h"

namespace headroom::test {
namespace {

constexpr double kBlock = 256;  // weights of a block of columns, of which a thread of matvec has one row

// Formats whose groups have a scale for each half, so that tiles multiply the halves by themselves: has_halves() of
// kernels/lib/panels.cuh.
bool has_halves(DType format) {
  return format == DType::kQ2_K || format == DType::kQ3_K || format == DType::kQ6_K || format == DType::kIQ2_XS ||
         format == DType::kIQ2_S || format == DType::kIQ1_M;
}

// How a kernel goes over its weights.
struct Shape {
  std::string_view product;  // that the innermost loop has
  int rows = 1;              // of activations, that a thread multiplies a weight with
  // Weights of an iteration, by thread, and by those threads that unpack; 0: by the products in it.
  double weights = 0, unpacked = 0;
  // That an iteration has for this many weights, of formats with halves twice as many; 0: others tell.
  int products = 0;
  double outer = 0;           // weights of an iteration of the loop around it; 0: that does not count
  bool is_of_format = false;  // the loops belong to a format alone
};

std::optional<Shape> shape_of(const std::string& kernel) {
  static const std::map<std::string, Shape> shapes = {
      {"matvec_1", {"FFMA", 1, 32, 32, 0, kBlock, true}},
      {"matvec_8", {"FFMA", 8, 32, 32, 0, kBlock, true}},
      {"matvec_experts", {"FFMA", 1, 32, 32, 0, kBlock, true}},
      {"matvec_int8_1", {"IDP", 1, 0, 0, 0, kBlock, true}},
      {"matvec_int8_8", {"IDP", 8, 0, 0, 0, kBlock, true}},
      {"matvec_int8_experts", {"IDP", 1, 0, 0, 0, kBlock, true}},
      // 64 features by 16 columns for 256 threads, which multiply four by four of them in each column.
      {"matmul", {"FFMA", 0, 0, 0, 0, 4, false}},
      // 128 features by 32 columns; of 256 threads half unpack, or each has half of a feature.
      {"matmul_int8_64", {"IMMA", 0, 32, 32, 16, 0, false}},
      {"matmul_int8_128", {"IMMA", 0, 16, 32, 16, 0, false}},
      {"matmul_half_64", {"HMMA", 0, 32, 32, 32, 0, false}},
      {"matmul_half_128", {"HMMA", 0, 16, 32, 32, 0, false}}};
  const auto found = shapes.find(kernel);
  return found == shapes.end() ? std::nullopt : std::optional(found->second);
}

// Of a function, for a format.
class Counter {
 public:
  Counter(const SassFunction& function, const WeightLines& lines, const Shape& shape, DType format)
      : function_(function), shape_(shape), format_(format), blocks_(blocks_of(function)) {
    for (const std::vector<SassLine>& origin : function.origins) {
      is_of_format_.push_back(
          std::ranges::any_of(origin, [&](const SassLine& line) { return lines.formats.contains(line); }));
      asks_.push_back(!origin.empty() && lines.asked.contains(origin.front()));
      is_for_others_.push_back(std::ranges::any_of(origin, [&](const SassLine& line) {
        const auto found = lines.halves.find(line);
        return found != lines.halves.end() && found->second != has_halves(format);
      }));
    }
  }

  Result<WeightCosts> count(int architecture) {
    const Result<std::size_t> multiplying = find_loop();
    if (!multiplying) return multiplying.error();
    const std::size_t inner = *multiplying;
    const int n = products(inner);
    double weights = shape_.weights, unpacked = shape_.unpacked;
    if (shape_.product == "IDP") weights = unpacked = 4.0 * n / shape_.rows;
    if (shape_.product == "FFMA" && shape_.rows == 0) weights = unpacked = std::min(n, 256) / 64.0;
    // Of four weights at least three FFMA with each row, and at most one more for each weight.
    if (shape_.product == "FFMA" && shape_.rows > 0 && (n < 24 * shape_.rows || n > 32 * shape_.rows + 48))
      return fault(fmt::format("products of 32 weights with {} rows", shape_.rows), fmt::format("{} FFMA", n));
    const int expected = shape_.products * (has_halves(format_) && shape_.product == "IMMA" ? 2 : 1);
    if (architecture >= 80 && expected != 0 && n != expected)
      return fault(fmt::format("{} {}", expected, shape_.product), fmt::format("{}", n));
    if (!loops_[inner].inner.empty()) return fault("no loop within the one that multiplies", "one");
    WeightCosts costs{format_, {}};
    if (Status added = add(inner, weights, unpacked, costs); !added) return added.error();
    const int outer = loops_[inner].outer;
    const bool has_outer = shape_.is_of_format ? is_of_format(outer) : weights < shape_.outer;
    if (!has_outer) return costs;
    if (outer < 0) return fault("a loop around the one that multiplies", "none");
    if (loops_[static_cast<std::size_t>(outer)].inner.size() != 1)
      return fault("one loop that multiplies", "another beside it");
    if (Status added = add(static_cast<std::size_t>(outer), shape_.outer, shape_.outer, costs); !added)
      return added.error();
    if (shape_.is_of_format && is_of_format(loops_[static_cast<std::size_t>(outer)].outer))
      return fault("two loops of the format's own", "three");
    return costs;
  }

  Result<WeightFlight> flight() {
    const Result<std::size_t> inner = find_loop();
    if (!inner) return inner.error();
    std::vector<const SassInstruction*> iteration;
    each_of_iteration(*inner, [&](const SassInstruction& instruction) { iteration.push_back(&instruction); });
    const LoadFlight found = loads_under_way(iteration);
    const int outer = loops_[*inner].outer;
    const SassLoop& loop = loops_[is_of_format(outer) ? static_cast<std::size_t>(outer) : *inner];
    WeightFlight result{format_, found.loads, found.distance, 0};
    for (const std::size_t block : loop.blocks) {
      for (std::size_t i = blocks_[block].first; i < blocks_[block].end; ++i)
        result.prefetches += is_prefetch(function_.code[i]) ? 1 : 0;
    }
    return result;
  }

 private:
  // The loop whose iteration has most products; of two with as many the inner one: compilers put the first iteration of
  // a loop over a rest of groups before it, and so into the loop around it.
  Result<std::size_t> find_loop() {
    if (Status kept = keep_answered_ways(function_, asks_, static_cast<int>(format_), blocks_); !kept)
      return kept.error();
    for (SassBlock& block : blocks_) {
      std::erase_if(block.next, [&](std::size_t next) { return multiplies_for_others(blocks_[next]); });
    }
    loops_ = loops_of(blocks_);
    for (const SassBlock& block : blocks_) {
      WayScore& score = scores_.emplace_back();
      for (std::size_t i = block.first; i < block.end; ++i) {
        score[0] += is_work(function_.code[i]) ? 1 : 0;
        --score[1];
      }
    }
    std::size_t inner = 0;
    int n = 0;
    for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
      const int more = products(loop);
      const bool is_within = std::ranges::binary_search(loops_[inner].blocks, loops_[loop].header);
      if (more > n || (more == n && is_within)) inner = loop;
      n = std::max(n, more);
    }
    if (n == 0) return fault("a loop that multiplies", "none");
    return inner;
  }

  Error fault(const std::string& expected, const std::string& found) const {
    return {ErrorCode::kUnsupported, Message::plain(fmt::format("{}, {}: expected {}, found {}", function_.name,
                                                                dtype_row(format_).name, expected, found))};
  }

  bool multiplies_for_others(const SassBlock& block) const {
    for (std::size_t i = block.first; i < block.end; ++i) {
      if (sass_word(function_.code[i]) == shape_.product && is_for_others_[function_.code[i].origin]) return true;
    }
    return false;
  }

  // Calls f with each instruction of an iteration.
  void each_of_iteration(std::size_t loop, auto f) const {
    for (const std::size_t block : best_iteration(blocks_, loops_, loop, scores_)) {
      for (std::size_t i = blocks_[block].first; i < blocks_[block].end; ++i) f(function_.code[i]);
    }
  }

  int products(std::size_t loop) const {
    int n = 0;
    each_of_iteration(loop, [&](const SassInstruction& instruction) {
      if (sass_word(instruction) == shape_.product) ++n;
    });
    return n;
  }

  // Whether a loop's header is mostly inside of what is made for a format.
  bool is_of_format(int loop) const {
    if (loop < 0) return false;
    const SassBlock& header = blocks_[loops_[static_cast<std::size_t>(loop)].header];
    std::size_t n = 0;
    for (std::size_t i = header.first; i < header.end; ++i) n += is_of_format_[function_.code[i].origin] ? 1 : 0;
    return 2 * n > header.end - header.first;
  }

  Status add(std::size_t loop, double weights, double unpacked, WeightCosts& costs) const {
    std::string unknown;
    each_of_iteration(loop, [&](const SassInstruction& instruction) {
      const std::optional<SassKind> kind = sass_kind(instruction);
      if (!kind) {
        unknown = instruction.op;
      } else {
        costs.of_kinds[static_cast<std::size_t>(*kind)] += 1 / (is_of_format_[instruction.origin] ? unpacked : weights);
      }
    });
    if (!unknown.empty()) return fault("an instruction that is known", unknown);
    return ok_status();
  }

  const SassFunction& function_;
  Shape shape_;
  DType format_;
  std::vector<SassBlock> blocks_;
  std::vector<SassLoop> loops_;
  std::vector<WayScore> scores_;                           // by block
  std::vector<bool> is_of_format_, asks_, is_for_others_;  // by origin
};

}  // namespace

Result<WeightLines> weight_lines(const std::string& folder) {
  static const std::regex format_case(R"(case k(\w+): f\.template operator\(\)<k(\w+)>\(\);)"),
      question(R"(switch \(type\))"), products(R"(multiply_group<kHigh, (true|false)>)");
  WeightLines lines;
  for (const std::string path : {"lib/panels.cuh", "matmul_half.cu", "matmul_int8.cu"}) {
    std::ifstream source(fmt::format("{}/{}", folder, path));
    std::string text;
    for (SassLine line{path.substr(path.find('/') + 1), 1}; std::getline(source, text); ++line.line) {
      if (std::regex_search(text, question)) lines.asked.insert(line);
      std::smatch match;
      if (std::regex_search(text, match, products)) lines.halves[line] = match[1] == "true";
      if (!std::regex_search(text, match, format_case)) continue;
      const auto row = std::ranges::find(kDTypes, match[1].str(), &DTypeRow::name);
      if (row == kDTypes.end())
        return Error{ErrorCode::kBadFile,
                     Message::plain(fmt::format("{}, line {}: expected a format", path, line.line))};
      lines.formats[line] = row->dtype;
    }
  }
  if (lines.formats.empty() || lines.asked.empty() || lines.halves.size() != 2)
    return Error{ErrorCode::kBadFile,
                 Message::plain(folder + ": expected lines for each format, and two that multiply, found others")};
  return lines;
}

namespace {

// f(counter) for each format that the function has something for.
template <class T, class F>
std::vector<Result<T>> of_formats(const SassFunction& function, const WeightLines& lines, const Shape& shape, F f) {
  std::set<DType> formats;
  for (const std::vector<SassLine>& origin : function.origins) {
    for (const SassLine& line : origin) {
      if (const auto found = lines.formats.find(line); found != lines.formats.end()) formats.insert(found->second);
    }
  }
  std::vector<Result<T>> all;
  all.reserve(formats.size());
  for (const DType format : formats) {
    Counter counter(function, lines, shape, format);
    all.push_back(f(counter));
  }
  return all;
}

}  // namespace

std::vector<Result<WeightCosts>> weight_costs(const SassFunction& function, const WeightLines& lines,
                                              int architecture) {
  const std::optional<Shape> shape = shape_of(function.name);
  if (!shape) return {};
  return of_formats<WeightCosts>(function, lines, *shape,
                                 [&](Counter& counter) { return counter.count(architecture); });
}

std::vector<Result<WeightFlight>> weight_flights(const SassFunction& function, const WeightLines& lines) {
  const std::optional<Shape> shape = shape_of(function.name);
  if (!shape || !function.name.starts_with("matvec")) return {};
  return of_formats<WeightFlight>(function, lines, *shape, [](Counter& counter) { return counter.flight(); });
}

}  // namespace headroom::test
