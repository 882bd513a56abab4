#include "included_files.h"

#include <filesystem>
#include <regex>

#include "nvidia_library.h"

namespace headroom::kernel_compiler {
namespace {

void add_included(const std::string& text, const std::vector<std::string>& folders,
                  std::map<std::string, IncludedFile>& found) {
  static const std::regex of_include(R"(^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"])");
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_search(line, match, of_include) || found.count(match[1]) != 0) continue;
    const std::string name = match[1];
    for (const std::string& folder : folders) {
      const std::string path = (std::filesystem::path(folder) / name).string();
      if (!std::filesystem::is_regular_file(path)) continue;
      IncludedFile& file = found[name];
      file = {path, read_file(path)};
      add_included(file.text, folders, found);
      break;
    }
  }
}

}  // namespace

std::map<std::string, IncludedFile> included_files(const std::string& text, const std::vector<std::string>& folders) {
  std::map<std::string, IncludedFile> found;
  add_included(text, folders, found);
  return found;
}

}  // namespace headroom::kernel_compiler
