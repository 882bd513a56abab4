// The manual page of headroom-cli: sentences that stay as they are, and around them what the program's options say.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options.h"
#include "program_text.h"
#include "subcommands.h"

namespace headroom::cli {
namespace {

// roff reads backslashes, hyphens and a dot or quote at the start of a line as its own.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '"') {
      out += "\\(dq";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += fmt::format("\\&{}", c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string sentence(const std::string& text) {
  return escaped(text) + (text.ends_with('.') || text.ends_with('?') ? "" : ".");
}

void addOption(std::string& page, const OptionText& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(option.isPositional ? italic(name) : bold(name));
  page += fmt::format(".TP\n{}", fmt::join(names, ", "));
  if (!option.isPositional && !option.valueName.empty()) page += " " + italic(option.valueName);
  page += "\n" + sentence(option.description);
  if (option.isRequired && !option.isPositional) page += " Required.";
  if (!option.defaultValue.empty()) page += " Default: " + sentence(option.defaultValue);
  page += "\n";
}

// "plan MODEL [options]", with what must be given written out.
std::string synopsis(const ProgramText& program, const CommandText& command) {
  std::string line = bold(program.name) + " " + bold(command.name);
  for (const OptionText& option : command.options) {
    if (option.isPositional) {
      line += option.isRequired ? " " + italic(option.names[0]) : " [" + italic(option.names[0]) + "]";
    } else if (option.isRequired) {
      line += " " + bold(option.names.back()) + " " + italic(option.valueName);
    }
  }
  return line + " [" + italic("options") + "]";
}

void addCommand(std::string& page, const ProgramText& program, const CommandText& command) {
  page += fmt::format(".SS {}\n{}\n.PP\n{}\n", escaped(command.name), synopsis(program, command),
                      sentence(command.description));
  for (const OptionText& option : command.options) {
    if (option.names.back() != "--help") addOption(page, option);
  }
  if (!command.example.empty())
    page += fmt::format(".PP\nExample:\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", escaped(command.example));
}

constexpr const char* kRest = R"(.SH EXIT STATUS
.TP
0
Done.
.TP
1
The answer is no: the plan does not fit, or the prompt is too long.
.TP
2
The command line makes no sense.
.TP
3
A file is damaged, missing or not supported.
.TP
4
The machine refused, or the user interrupted.
.SH ENVIRONMENT
.TP
.B HEADROOM_CUDA
.B 0
leaves NVIDIA's cards to Vulkan,
.B 1
takes them by CUDA without the check of a first use.
.TP
.BR HEADROOM_CUDA_DEVICES ", " HEADROOM_VULKAN_DEVICES
The cards that are looked for, by their numbers and in that order, as
.BR 1,0 ;
.B none
hides all.
.TP
.B HEADROOM_DATA_DIR
Where what was measured of devices, the verdicts of their checks and compiled kernels are kept, instead of the desktop's
place for application data.
.TP
.B HEADROOM_ISA
Forces one of the processor's instruction sets by name, for checking.
.TP
.B HEADROOM_RESOURCES
The folder that holds
.I devices.json
and the starter model, instead of
.I share/headroom
beside the program's
.IR bin .
.SH SEE ALSO
.BR headroom (1)
)";

}  // namespace

std::string manualPage(const ProgramText& program, const std::string& date) {
  std::string upper = program.name;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::string page = fmt::format(".TH {} 1 {} \"{}\" \"User Commands\"\n", upper, date, program.version);
  page += fmt::format(".SH NAME\n{} \\- memory plans and answers of a local model, in the terminal\n",
                      escaped(program.name));
  page += fmt::format(".SH SYNOPSIS\n{} {} [{}]\n", bold(program.name), italic("SUBCOMMAND"), italic("options"));
  page += fmt::format(
      ".SH DESCRIPTION\n{}\nSizes are written 6GiB, 512MiB or in bytes.\nA device is {}, one of this "
      "machine or a name of the catalogue; {} lists both.\n",
      sentence(program.description), bold("cpu"), bold(program.name + " devices"));
  page += ".SH OPTIONS\n";
  for (const OptionText& option : program.options) addOption(page, option);
  page += ".SH SUBCOMMANDS\n";
  for (const CommandText& command : program.commands) addCommand(page, program, command);
  return page + kRest;
}

Command addManual(CLI::App& program) {
  CLI::App* app = addSubcommand(program, "manual", "The manual page of this program, as roff");
  addExample(*app, "manual | man -l -");
  return {app, [&program] {
            print(manualPage(describeProgram(program), HEADROOM_RELEASE_DATE));
            return kDone;
          }};
}

}  // namespace headroom::cli
