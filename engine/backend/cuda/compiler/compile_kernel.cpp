// Compiles a file of kernels for one kind of card, with NVRTC.
// usage: compile_kernel --nvrtc FOLDER --for sm_90 --to STEM [--lines] [-I FOLDER]... SOURCE
// Writes STEM.cubin, STEM.ptx, STEM.txt (what NVRTC and its assembler said) and STEM.d (what was read, for the build).
//   --nvrtc  where libnvrtc.so.12 is
//   --for    sm_90; or compute_90: PTX alone
//   --lines  the machine code tells which lines its instructions come from; the instructions are the same
// A warning is an error, and so is a register that is spilled.
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "included_files.h"
#include "nvidia_library.h"

namespace headroom::kernel_compiler {
namespace {

struct Options {
  std::string nvrtc, architecture, stem, source;
  bool has_lines = false;
  std::vector<std::string> folders;
};

Options read_options(int n, char** given) {
  Options options;
  for (int i = 1; i < n; ++i) {
    const std::string_view option = given[i];
    const auto value = [&]() -> std::string {
      if (++i == n) throw std::runtime_error(std::string(option) + ": expected a value");
      return given[i];
    };
    if (option == "--nvrtc") {
      options.nvrtc = value();
    } else if (option == "--for") {
      options.architecture = value();
    } else if (option == "--to") {
      options.stem = value();
    } else if (option == "-I") {
      options.folders.push_back(value());
    } else if (option == "--lines") {
      options.has_lines = true;
    } else {
      options.source = option;
    }
  }
  if (options.nvrtc.empty() || options.architecture.empty() || options.stem.empty() || options.source.empty())
    throw std::runtime_error("expected --nvrtc, --for, --to and a source");
  return options;
}

// NVRTC's own declarations are in no file of ours: "NVRTC" of the CUDA toolkit's documentation, chapter 3.
using Program = struct Opaque*;

class Compilation {
 public:
  explicit Compilation(const std::string& folder) : library_(folder + "/libnvrtc.so.12", "nvrtcGetErrorString") {}

  bool run(const std::string& source, const std::string& name, const std::map<std::string, IncludedFile>& included,
           const std::vector<std::string>& options) {
    std::vector<const char*> names, texts, given;
    for (const auto& [spelled, file] : included) {
      names.push_back(spelled.c_str());
      texts.push_back(file.text.c_str());
    }
    for (const std::string& option : options) given.push_back(option.c_str());
    const auto create =
        library_.find<Status(Program*, const char*, const char*, int, const char* const*, const char* const*)>(
            "nvrtcCreateProgram");
    library_.expect_success("nvrtcCreateProgram", create(&program_, source.c_str(), name.c_str(),
                                                         static_cast<int>(names.size()), texts.data(), names.data()));
    const auto compile = library_.find<Status(Program, int, const char* const*)>("nvrtcCompileProgram");
    return compile(program_, static_cast<int>(given.size()), given.data()) == 0;
  }

  // `what`: CUBIN, PTX, ProgramLog.
  std::string result(const std::string& what) {
    const std::string of_size = "nvrtcGet" + what + "Size", of_bytes = "nvrtcGet" + what;
    std::size_t size = 0;
    library_.expect_success(of_size, library_.find<Status(Program, std::size_t*)>(of_size.c_str())(program_, &size));
    std::string bytes(size, '\0');
    library_.expect_success(of_bytes, library_.find<Status(Program, char*)>(of_bytes.c_str())(program_, bytes.data()));
    return bytes;
  }
  // Without the zero at its end.
  std::string text(const std::string& what) { return result(what).c_str(); }

 private:
  NvidiaLibrary library_;
  Program program_ = nullptr;  // until this program ends
};

// A makefile's line: spaces in names are escaped.
std::string dependencies(const Options& options, const std::string& target,
                         const std::map<std::string, IncludedFile>& included) {
  const auto escaped = [](const std::string& path) {
    std::string text;
    for (const char c : path) text += c == ' ' ? "\\ " : std::string(1, c);
    return text;
  };
  std::string line = escaped(target) + ": " + escaped(options.source);
  for (const auto& entry : included) line += " \\\n  " + escaped(entry.second.path);
  return line + "\n";
}

// Its name in messages: "norm.cu for sm_90".
std::string title(const Options& options) {
  return options.source.substr(options.source.rfind('/') + 1) + " for " + options.architecture;
}

void compile(const Options& options) {
  const std::string source = read_file(options.source);
  const auto included = included_files(source, options.folders);
  const bool is_for_card = options.architecture.rfind("sm_", 0) == 0;
  // Functions without a mark are a kernel's, as constexpr ones of shared headers are.
  std::vector<std::string> given{"--gpu-architecture=" + options.architecture, "--std=c++20",
                                 "--device-as-default-execution-space"};
  if (is_for_card) given.insert(given.end(), {"--ptxas-options=-v", "--ptxas-options=--warn-on-spills"});
  if (options.has_lines) given.emplace_back("--generate-line-info");
  Compilation compilation(options.nvrtc);
  const bool is_compiled = compilation.run(source, options.source, included, given);
  const std::string log = compilation.text("ProgramLog");
  write_file(options.stem + ".txt", log);
  if (!is_compiled || log.find("warning") != std::string::npos)
    throw std::runtime_error("expected code without a warning, NVRTC says:\n" + log);
  write_file(options.stem + ".ptx", compilation.text("PTX"));
  if (is_for_card) write_file(options.stem + ".cubin", compilation.result("CUBIN"));
  write_file(options.stem + ".d", dependencies(options, options.stem + (is_for_card ? ".cubin" : ".ptx"), included));
}

int run(int n, char** given) {
  Options options;
  try {
    options = read_options(n, given);
    compile(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compile_kernel: %s: %s\n", title(options).c_str(), error.what());
    return 1;
  }
}

}  // namespace
}  // namespace headroom::kernel_compiler

int main(int n, char** given) { return headroom::kernel_compiler::run(n, given); }
