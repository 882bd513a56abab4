// Files by name and content, and writing them as one folder or one zip file.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/result.h"

namespace headroom {

struct ReportFile {
  std::string name;  // without a folder
  std::string bytes;
};

// Whether a report can be written there, before the work begins: kResource names the path and why not.
Status checkReportPath(const std::filesystem::path& path);

// A zip file where the name of `path` ends in ".zip", which takes the place of one that stood there once it is whole;
// else a folder, made where there is none, in which files of these names are replaced. kResource names the path.
Status writeReportFiles(const std::filesystem::path& path, std::span<const ReportFile> files);

}  // namespace headroom
