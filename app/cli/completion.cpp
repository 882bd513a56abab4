// Completion scripts for three shells. Each is text alone: none of them starts the program.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "options.h"
#include "program_text.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

// For all three shells: 'it'\''s'.
std::string shellQuoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string commandNames(const ProgramText& program, const char* separator) {
  std::vector<std::string> names;
  for (const CommandText& command : program.commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, separator));
}

std::vector<std::string> optionNames(const std::vector<OptionText>& options) {
  std::vector<std::string> names;
  for (const OptionText& option : options) {
    if (!option.isPositional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// --- bash

// One line of a `case`: what may follow an option, or stand where a positional is expected.
std::string bashValues(const OptionText& option) {
  switch (option.value) {
    case ValueKind::kChoice: {
      std::string words;
      for (const std::string& choice : option.choices) words += " " + shellQuoted(choice);
      return "_headroom_cli_words" + words;
    }
    case ValueKind::kModel: return "_headroom_cli_files gguf";
    case ValueKind::kFile: return "_headroom_cli_files";
    case ValueKind::kNone:
    case ValueKind::kText: break;
  }
  return ":";
}

constexpr const char* kBashHelpers = R"bash(
# The words of the list that begin with what stands before the cursor; names with spaces are quoted.
_headroom_cli_words() {
  local word
  for word in "$@"; do
    [[ $word == "$current"* ]] || continue
    if [[ -n $quote ]]; then COMPREPLY+=("$word"); else COMPREPLY+=("$(printf '%q' "$word")"); fi
  done
}

# Folders, and the files with that ending, or all files.
_headroom_cli_files() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do
    [[ -d $path || -z ${1-} || $path == *."${1-}" ]] && COMPREPLY+=("$path")
  done < <(compgen -f -- "$current")
}
)bash";

std::string bashScript(const ProgramText& program) {
  std::string cases, positionals, options;
  for (const CommandText& command : program.commands) {
    bool hasPositional = false;
    for (const OptionText& option : command.options) {
      if (option.value == ValueKind::kNone) continue;
      if (option.isPositional) {
        if (!hasPositional) positionals += fmt::format("    {}) {} ;;\n", command.name, bashValues(option));
        hasPositional = true;  // what follows the first is free text
        continue;
      }
      for (const std::string& name : option.names)
        cases += fmt::format("    {}:{}) {}; return ;;\n", command.name, name, bashValues(option));
    }
    options += fmt::format("    {}) words='{}' ;;\n", command.name, fmt::join(optionNames(command.options), " "));
  }
  std::string script = fmt::format("# bash completion for {0}, written by `{0} completion bash`.\n", program.name);
  script += kBashHelpers;
  script += fmt::format(R"(
_headroom_cli() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command= quote= words= i
  case $current in \"* | \'*) quote=${{current:0:1}} current=${{current:1}} ;; esac
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${{COMP_WORDS[i]}} in {}) command=${{COMP_WORDS[i]}}; break ;; esac
  done
  case $command:$previous in
{}  esac
  case $command in
{}    *) words='{} {}' ;;
  esac
  if [[ -z $command || $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  case $command in
{}  esac
}}

complete -F _headroom_cli {}
)",
                        commandNames(program, " | "), cases, options, commandNames(program, " "),
                        fmt::join(optionNames(program.options), " "), positionals, program.name);
  return script;
}

// --- fish

std::string fishOption(const std::string& condition, const OptionText& option, const std::string& program) {
  std::string line = fmt::format("complete -c {}{}", program, condition);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  std::string words;  // one a line when fish reads them: names of devices have spaces
  for (const std::string& choice : option.choices) words += " \"" + choice + "\"";
  switch (option.value) {
    case ValueKind::kNone: break;
    case ValueKind::kText: line += " -x"; break;
    case ValueKind::kFile: line += " -rF"; break;
    case ValueKind::kModel: line += " -x -a '(__fish_complete_suffix .gguf)'"; break;
    case ValueKind::kChoice: line += fmt::format(" -x -a {}", shellQuoted("(printf '%s\\n'" + words + ")")); break;
  }
  return line + " -d " + shellQuoted(option.description) + "\n";
}

std::string fishScript(const ProgramText& program) {
  std::string script = fmt::format("# fish completion for {0}, written by `{0} completion fish`.\n", program.name);
  script += fmt::format("complete -c {} -f\n", program.name);
  for (const OptionText& option : program.options)
    script += fishOption(" -n __fish_use_subcommand", option, program.name);
  for (const CommandText& command : program.commands) {
    script += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", program.name, command.name,
                          shellQuoted(command.description));
    const std::string condition = fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
    bool hasPositional = false;
    for (const OptionText& option : command.options) {
      if (option.isPositional && hasPositional) continue;  // what follows the first is free text
      hasPositional = hasPositional || option.isPositional;
      OptionText shown = option;
      if (option.isPositional) shown.names.clear();
      if (option.isPositional && option.value == ValueKind::kText) continue;
      script += fishOption(condition, shown, program.name);
    }
  }
  return script;
}

// --- zsh

std::string zshAction(const OptionText& option) {
  switch (option.value) {
    case ValueKind::kNone: return "";
    case ValueKind::kText: return ": ";
    case ValueKind::kFile: return "_files";
    case ValueKind::kModel: return "_files -g \"*.gguf(-.)\"";
    case ValueKind::kChoice: break;
  }
  std::string words;
  for (const std::string& choice : option.choices) words += (words.empty() ? "\"" : " \"") + choice + "\"";
  return "(" + words + ")";
}

// _arguments reads brackets and colons of a description as its own.
std::string zshText(const std::string& text) {
  std::string out;
  for (const char c : text) out += (c == '[' || c == ']' || c == ':' ? "\\" : "") + std::string(1, c);
  return out;
}

void addZshOption(std::string& script, const OptionText& option, int& nPositionals) {
  if (option.isPositional) {
    script +=
        fmt::format(" \\\n        {}",
                    shellQuoted(fmt::format("{}:{}:{}", ++nPositionals, zshText(option.names[0]), zshAction(option))));
    return;
  }
  for (const std::string& name : option.names) {
    std::string spec = fmt::format("{}[{}]", name, zshText(option.description));
    if (option.value != ValueKind::kNone) spec += fmt::format(":{}:{}", option.valueName, zshAction(option));
    script += fmt::format(" \\\n        {}", shellQuoted(spec));
  }
}

std::string zshScript(const ProgramText& program) {
  std::string script =
      fmt::format("#compdef {0}\n# zsh completion for {0}, written by `{0} completion zsh`.\n\n", program.name);
  script += "_headroom_cli() {\n  local context state state_descr line\n  typeset -A opt_args\n  _arguments -C";
  int nPositionals = 0;
  for (const OptionText& option : program.options) addZshOption(script, option, nPositionals);
  script += " \\\n        '1:subcommand:->subcommand' '*::argument:->argument'\n";
  script += "  case $state in\n  subcommand)\n    local -a subcommands=(\n";
  for (const CommandText& command : program.commands)
    script += fmt::format("      {}\n", shellQuoted(command.name + ":" + command.description));
  script += "    )\n    _describe subcommand subcommands\n    ;;\n  argument)\n    case $words[1] in\n";
  for (const CommandText& command : program.commands) {
    script += fmt::format("    {})\n      _arguments", command.name);
    nPositionals = 0;
    for (const OptionText& option : command.options) addZshOption(script, option, nPositionals);
    script += "\n      ;;\n";
  }
  script += "    esac\n    ;;\n  esac\n}\n\n";
  // Read by autoload, or as a whole: `source <(headroom-cli completion zsh)`.
  script += "if [[ $funcstack[1] == _headroom-cli ]]; then\n  _headroom_cli \"$@\"\nelse\n  compdef _headroom_cli " +
            program.name + "\nfi\n";
  return script;
}

}  // namespace

std::string completionScript(const ProgramText& program, Shell shell) {
  switch (shell) {
    case Shell::kBash: return bashScript(program);
    case Shell::kZsh: return zshScript(program);
    case Shell::kFish: return fishScript(program);
  }
  return {};
}

Command addCompletion(CLI::App& program) {
  static const std::map<std::string, Shell> kShells{
      {"bash", Shell::kBash}, {"fish", Shell::kFish}, {"zsh", Shell::kZsh}};
  CLI::App* app = addSubcommand(program, "completion", "The completion script of this program for a shell");
  auto shell = std::make_shared<std::string>();
  addText(*app, "SHELL", *shell, "bash, fish or zsh", {.isRequired = true, .choices = {"bash", "fish", "zsh"}});
  addExample(*app, "completion bash > ~/.local/share/bash-completion/completions/headroom-cli");
  return {app, [&program, shell] {
            print(completionScript(describeProgram(program), kShells.at(*shell)));
            return kDone;
          }};
}

}  // namespace headroom::cli
