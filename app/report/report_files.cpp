#include "report_files.h"

#include <unistd.h>
#include <zip.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>

namespace headroom {
namespace {

namespace fs = std::filesystem;

bool isZip(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending == ".zip";
}

Error failed(const fs::path& path, const std::string& why) {
  return {ErrorCode::kResource, Message::say("{}: the report cannot be written: {}", path.string(), why)};
}
Error failed(const fs::path& path) { return failed(path, std::strerror(errno)); }

// "" has no parent that a system knows.
fs::path parentOf(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

zip_fileinfo infoOfNow() {
  zip_fileinfo info{};
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  if (localtime_r(&now, &local) == nullptr) return info;
  info.tmz_date.tm_sec = static_cast<decltype(info.tmz_date.tm_sec)>(local.tm_sec);
  info.tmz_date.tm_min = static_cast<decltype(info.tmz_date.tm_min)>(local.tm_min);
  info.tmz_date.tm_hour = static_cast<decltype(info.tmz_date.tm_hour)>(local.tm_hour);
  info.tmz_date.tm_mday = static_cast<decltype(info.tmz_date.tm_mday)>(local.tm_mday);
  info.tmz_date.tm_mon = static_cast<decltype(info.tmz_date.tm_mon)>(local.tm_mon);
  info.tmz_date.tm_year = static_cast<decltype(info.tmz_date.tm_year)>(local.tm_year + 1900);
  return info;
}

bool addToZip(zipFile zip, const ReportFile& file) {
  if (file.bytes.size() > std::numeric_limits<std::uint32_t>::max()) return false;
  const zip_fileinfo info = infoOfNow();
  constexpr int kDeflate = 8, kUsualLevel = -1;  // Z_DEFLATED, Z_DEFAULT_COMPRESSION
  if (zipOpenNewFileInZip64(zip, file.name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr, kDeflate, kUsualLevel, 0) !=
      ZIP_OK)
    return false;
  const int written = zipWriteInFileInZip(zip, file.bytes.data(), static_cast<unsigned>(file.bytes.size()));
  return zipCloseFileInZip(zip) == ZIP_OK && written == ZIP_OK;
}

Status writeZip(const fs::path& path, std::span<const ReportFile> files) {
  const fs::path part = path.string() + ".part";
  zipFile zip = zipOpen64(part.c_str(), APPEND_STATUS_CREATE);
  if (zip == nullptr) return failed(path);
  bool isWritten = true;
  for (const ReportFile& file : files) isWritten = isWritten && addToZip(zip, file);
  isWritten = zipClose(zip, nullptr) == ZIP_OK && isWritten;
  std::error_code error;
  if (isWritten) fs::rename(part, path, error);
  if (isWritten && !error) return ok_status();
  const Error told = failed(path, error ? error.message() : "the disk took no more");
  fs::remove(part, error);
  return told;
}

Status writeFolder(const fs::path& path, std::span<const ReportFile> files) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return failed(path, error.message());
  for (const ReportFile& file : files) {
    std::ofstream stream(path / file.name, std::ios::binary | std::ios::trunc);
    stream.write(file.bytes.data(), static_cast<std::streamsize>(file.bytes.size()));
    stream.close();
    if (!stream) return failed(path / file.name);
  }
  return ok_status();
}

}  // namespace

Status checkReportPath(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const bool isThere = fs::exists(status);
  if (isZip(path) && isThere && !fs::is_regular_file(status)) return failed(path, "it is no ordinary file");
  if (!isZip(path) && isThere && !fs::is_directory(status))
    return failed(path, "it is no folder, and its name does not end in .zip");
  fs::path folder = !isZip(path) && isThere ? path : parentOf(path);
  while (!isZip(path) && !fs::exists(folder, error) && folder.has_parent_path() && folder != folder.parent_path())
    folder = parentOf(folder);  // which would be made
  if (access(folder.c_str(), W_OK | X_OK) != 0) return failed(path);
  if (!fs::is_directory(folder, error)) return failed(path, folder.string() + " is no folder");
  return ok_status();
}

Status writeReportFiles(const fs::path& path, std::span<const ReportFile> files) {
  return isZip(path) ? writeZip(path, files) : writeFolder(path, files);
}

}  // namespace headroom
