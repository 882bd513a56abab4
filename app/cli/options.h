// The subcommands' options, over CLI11. What is no number, out of range or too large for its type is refused with a
// message that names the option, what was expected and what was found; nothing is rounded, wrapped or cut to fit.
// `value` holds the default and is written when the command line is parsed.
//
// CLI11's header takes seconds to compile wherever it is included, under sanitizers a quarter of a minute: commands
// include this one.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace headroom::cli {

CLI::App* addSubcommand(CLI::App& program, const std::string& name, const std::string& description);

struct TextRules {
  bool isRequired = false;
  bool isNotEmpty = false;             // an option given without a text is refused
  bool showsDefault = false;           // --help shows the default
  std::vector<std::string> choices{};  // the only texts that are taken; none: any
};
CLI::Option* addText(CLI::App& app, const std::string& name, std::string& value, const std::string& description,
                     const TextRules& rules = {});
// All texts that follow, as those of a positional.
CLI::Option* addTexts(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                      const std::string& description, const TextRules& rules = {});
// May stand several times, with one text each.
CLI::Option* addRepeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                           const std::string& description, const TextRules& rules = {});

// A name that begins with "!" clears the flag.
CLI::Option* addFlag(CLI::App& app, const std::string& name, bool& value, const std::string& description);

struct WholeRange {
  std::uint64_t least = 0, most = std::numeric_limits<std::uint32_t>::max();
};
struct RealRange {
  float least = 0, most = 1;
  bool isAboveLeast = false;  // `least` itself is refused
};
// --help shows the default when it is in the range: one outside it means "not given".
CLI::Option* addNumber(CLI::App& app, const std::string& name, std::uint32_t& value, WholeRange range,
                       const std::string& description);
CLI::Option* addNumber(CLI::App& app, const std::string& name, std::uint64_t& value, WholeRange range,
                       const std::string& description);
CLI::Option* addNumber(CLI::App& app, const std::string& name, float& value, RealRange range,
                       const std::string& description);

// Where --help lists the option.
void putInGroup(CLI::Option* option, const std::string& group);
// What --help shows as the default where the value does not say it.
void showDefault(CLI::Option* option, const std::string& text);
// Both on one command line are refused.
void excludeEachOther(CLI::Option* one, CLI::Option* other);
// How often the command line gave it; after parsing.
std::size_t timesGiven(const CLI::Option& option);

// The option --json, as every subcommand that prints data has it.
void addJsonOption(CLI::App& app, bool& asJson);
// The end of a --help text.
void addExample(CLI::App& app, const std::string& example);

}  // namespace headroom::cli
