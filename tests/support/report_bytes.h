// A report read back, from its folder or its zip file.
#pragma once

#include <unzip.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace headroom::test {

using ReportBytes = std::map<std::string, std::string>;  // by the name of the file

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline ReportBytes read_folder(const std::filesystem::path& path) {
  ReportBytes files;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    files[entry.path().filename().string()] = file_bytes(entry.path());
  return files;
}

// Empty where it is no zip file, or a damaged one.
inline ReportBytes read_zip(const std::filesystem::path& path) {
  ReportBytes files;
  unzFile zip = unzOpen64(path.c_str());
  if (zip == nullptr) return files;
  for (int found = unzGoToFirstFile(zip); found == UNZ_OK; found = unzGoToNextFile(zip)) {
    unz_file_info64 info{};
    std::string name(256, '\0');
    if (unzGetCurrentFileInfo64(zip, &info, name.data(), name.size(), nullptr, 0, nullptr, 0) != UNZ_OK) break;
    name.resize(info.size_filename);
    std::string bytes(info.uncompressed_size, '\0');
    if (unzOpenCurrentFile(zip) != UNZ_OK) break;
    const int n_read = unzReadCurrentFile(zip, bytes.data(), static_cast<unsigned>(bytes.size()));
    if (unzCloseCurrentFile(zip) != UNZ_OK || n_read != static_cast<int>(bytes.size())) break;
    files[name] = std::move(bytes);
  }
  unzClose(zip);
  return files;
}

}  // namespace headroom::test
