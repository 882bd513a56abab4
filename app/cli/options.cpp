#include "options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <optional>

namespace headroom::cli {
namespace {

// The whole of `text` as a number; nothing when a part is left or it does not fit the type.
template <class Number>
std::optional<Number> numberIn(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

template <class Number>
bool isIn(const WholeRange& range, Number number) {
  return number >= range.least && number <= range.most;
}
bool isIn(const RealRange& range, float number) {
  return (range.isAboveLeast ? number > range.least : number >= range.least) && number <= range.most;
}

std::string expected(const WholeRange& range) {
  return fmt::format("a whole number from {} to {}", range.least, range.most);
}
std::string expected(const RealRange& range) {
  return range.isAboveLeast ? fmt::format("a number above {} and at most {}", range.least, range.most)
                            : fmt::format("a number from {} to {}", range.least, range.most);
}

template <class Number, class Range>
CLI::Option* add(CLI::App& app, const std::string& name, Number& value, const Range& range,
                 const std::string& description) {
  const auto read = [&value, name, range](const std::string& text) {
    const std::optional<Number> number = numberIn<Number>(text);
    if (!number || !isIn(range, *number))
      throw CLI::ValidationError(name, fmt::format("expected {}, found \"{}\"", expected(range), text));
    value = *number;
  };
  CLI::Option* option = app.add_option_function<std::string>(name, read, description)->type_name("NUMBER");
  if (isIn(range, value)) option->default_str(fmt::format("{}", value));
  return option;
}

CLI::Option* follow(CLI::Option* option, const TextRules& rules) {
  const auto emptyIsRefused = [](const std::string& text) {
    return text.empty() ? "expected a text, found none" : std::string();
  };
  option->required(rules.isRequired);
  if (rules.isNotEmpty) option->check(CLI::Validator(emptyIsRefused, "", "notEmpty"));
  if (rules.showsDefault) option->capture_default_str();
  if (!rules.choices.empty()) option->check(CLI::IsMember(rules.choices));
  return option;
}

}  // namespace

CLI::App* addSubcommand(CLI::App& program, const std::string& name, const std::string& description) {
  return program.add_subcommand(name, description);
}

CLI::Option* addText(CLI::App& app, const std::string& name, std::string& value, const std::string& description,
                     const TextRules& rules) {
  return follow(app.add_option(name, value, description), rules);
}

CLI::Option* addTexts(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                      const std::string& description, const TextRules& rules) {
  return follow(app.add_option(name, values, description), rules);
}

CLI::Option* addRepeatable(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                           const std::string& description, const TextRules& rules) {
  return addTexts(app, name, values, description, rules)->allow_extra_args(false);
}

CLI::Option* addFlag(CLI::App& app, const std::string& name, bool& value, const std::string& description) {
  return app.add_flag(name, value, description);
}

CLI::Option* addNumber(CLI::App& app, const std::string& name, std::uint32_t& value, WholeRange range,
                       const std::string& description) {
  return add(app, name, value, range, description);
}

CLI::Option* addNumber(CLI::App& app, const std::string& name, std::uint64_t& value, WholeRange range,
                       const std::string& description) {
  return add(app, name, value, range, description);
}

CLI::Option* addNumber(CLI::App& app, const std::string& name, float& value, RealRange range,
                       const std::string& description) {
  return add(app, name, value, range, description);
}

void putInGroup(CLI::Option* option, const std::string& group) { option->group(group); }

void showDefault(CLI::Option* option, const std::string& text) { option->default_str(text); }

void excludeEachOther(CLI::Option* one, CLI::Option* other) { one->excludes(other); }

std::size_t timesGiven(const CLI::Option& option) { return option.count(); }

void addJsonOption(CLI::App& app, bool& asJson) { addFlag(app, "--json", asJson, "Print JSON; errors too"); }

void addExample(CLI::App& app, const std::string& example) { app.footer("Example:\n  headroom-cli " + example); }

}  // namespace headroom::cli
