// The headers of a kernel, found before it is compiled: NVRTC opens no files itself but gets all of them by name, so
// the list that the build goes by cannot lack one.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace headroom::kernel_compiler {

struct IncludedFile {
  std::string path, text;
};

// By name as #include lines spell it, <cstdint> without its brackets. What is in none of the folders, searched in their
// order, is left out: a header of the host behind an #ifdef, say. Throws when a file cannot be read.
std::map<std::string, IncludedFile> included_files(const std::string& text, const std::vector<std::string>& folders);

}  // namespace headroom::kernel_compiler
