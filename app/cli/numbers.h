// Options that take a number. What is no number, out of range or too large for its type is refused with a message that
// names the option, what was expected and what was found; nothing is rounded, wrapped or cut to fit.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace headroom::cli {

struct WholeRange {
  std::uint64_t least = 0, most = std::numeric_limits<std::uint32_t>::max();
};
struct RealRange {
  float least = 0, most = 1;
  bool isAboveLeast = false;  // `least` itself is refused
};

// `value` holds the default, which --help shows when it is in the range: a default outside it means "not given".
CLI::Option* addNumber(CLI::App& app, const std::string& name, std::uint32_t& value, WholeRange range,
                       const std::string& description);
CLI::Option* addNumber(CLI::App& app, const std::string& name, std::uint64_t& value, WholeRange range,
                       const std::string& description);
CLI::Option* addNumber(CLI::App& app, const std::string& name, float& value, RealRange range,
                       const std::string& description);

// Refuses an option that was given without a text.
CLI::Validator notEmpty();

}  // namespace headroom::cli
