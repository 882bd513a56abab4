// The program's own options as text: what the manual page and the shell completions are made of, so that neither can
// differ from --help.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace headroom::cli {

// What may stand where a value is expected.
enum class ValueKind {
  kNone,    // a flag
  kText,    // anything
  kModel,   // a .gguf file
  kFile,    // any file
  kChoice,  // one of `choices`, though others may be understood
};

struct OptionText {
  std::vector<std::string> names;  // "-p", "--prompt"; of a positional its one name: "MODEL"
  std::string description;
  std::string defaultValue;          // empty: none is shown
  std::string valueName;             // "TEXT", "NUMBER" ...; empty for a flag
  std::vector<std::string> choices;  // with kChoice
  ValueKind value = ValueKind::kNone;
  bool isPositional = false, isRequired = false;
};

struct CommandText {
  std::string name, description;
  std::string example;  // a whole command line
  std::vector<OptionText> options;
};

struct ProgramText {
  std::string name, version, description;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;
};

// Of a program with one level of subcommands.
ProgramText describeProgram(const CLI::App& program);

// A roff page for man(1), section 1. The date is that of the release: "2026-01-31".
std::string manualPage(const ProgramText& program, const std::string& date);

enum class Shell { kBash, kZsh, kFish };
std::string completionScript(const ProgramText& program, Shell shell);

}  // namespace headroom::cli
