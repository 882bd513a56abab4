#include "program_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "devices/device_catalogue.h"
#include "format/dtype_table.h"

namespace headroom::cli {
namespace {

constexpr std::array<std::string_view, 4> kFileOptions{"--file", "--messages", "--out", "--report"};

std::vector<std::string> kvTypes() {
  std::vector<std::string> labels;
  for (const DTypeRow& row : kDTypes) {
    if (row.is_kv) labels.emplace_back(row.label);
  }
  return labels;
}

std::vector<std::string> deviceNames() {
  std::vector<std::string> names{"cpu"};
  if (const Result<std::vector<DeviceInfo>> catalogue = built_in_device_catalogue()) {
    for (const DeviceInfo& device : *catalogue) names.push_back(device.name);
  }
  return names;
}

// "TEXT:{ctx,layers,kv}" of a checked option to its three words.
std::vector<std::string> checkedChoices(const std::string& typeName) {
  std::vector<std::string> choices;
  const auto open = typeName.find('{'), close = typeName.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return choices;
  for (std::size_t at = open + 1; at <= close;) {
    const std::size_t end = std::min(typeName.find(',', at), close);
    choices.push_back(typeName.substr(at, end - at));
    at = end + 1;
  }
  return choices;
}

std::string placeholder(const OptionText& option, const std::string& typeName) {
  switch (option.value) {
    case ValueKind::kNone: return "";
    case ValueKind::kModel:
    case ValueKind::kFile: return "FILE";
    case ValueKind::kChoice:
    case ValueKind::kText: break;
  }
  const bool isNumber = typeName.starts_with("NUMBER") || typeName.starts_with("UINT") || typeName.starts_with("INT");
  return isNumber ? "NUMBER" : "TEXT";
}

OptionText describeOption(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  text.isPositional = text.names.empty();
  if (text.isPositional) text.names.push_back(option.get_name());
  text.description = option.get_description();
  text.isRequired = option.get_required();
  if (option.get_items_expected_max() == 0) return text;  // a flag

  const std::string typeName = option.get_type_name();
  const std::string& name = text.names.back();
  text.defaultValue = option.get_default_str();
  text.value = ValueKind::kText;
  text.choices = checkedChoices(typeName);
  if (name == "--kv-k" || name == "--kv-v") text.choices = kvTypes();
  if (name == "--device") text.choices = deviceNames();
  if (name == "--gpu-layers" || name == "--cpu-ffn") text.choices = {"auto"};
  if (!text.choices.empty()) text.value = ValueKind::kChoice;
  if (name == "MODEL") text.value = ValueKind::kModel;
  if (std::find(kFileOptions.begin(), kFileOptions.end(), name) != kFileOptions.end()) text.value = ValueKind::kFile;
  text.valueName = text.isPositional ? name : placeholder(text, typeName);
  return text;
}

std::vector<OptionText> describeOptions(const CLI::App& app) {
  std::vector<OptionText> options;
  for (const CLI::Option* option : app.get_options({})) options.push_back(describeOption(*option));
  return options;
}

// The last line of the footer that addExample wrote.
std::string exampleOf(const CLI::App& app) {
  const std::string footer = app.get_footer();
  const auto at = footer.find("  headroom-cli ");
  return at == std::string::npos ? "" : footer.substr(at + 2);
}

}  // namespace

ProgramText describeProgram(const CLI::App& program) {
  ProgramText text;
  text.name = program.get_name();
  text.version = program.version();
  text.description = program.get_description();
  text.options = describeOptions(program);
  for (const CLI::App* app : program.get_subcommands({}))
    text.commands.push_back({app->get_name(), app->get_description(), exampleOf(*app), describeOptions(*app)});
  return text;
}

}  // namespace headroom::cli
