#include "output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "text/utf8.h"

namespace headroom::cli {
namespace {

// There is one stdout, and so one loss of it.
bool isLost = false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void lose(int reason) {
  isLost = true;
  printNote(fmt::format("standard output: cannot be written: {}", std::strerror(reason)));
}

// Valid UTF-8 on one line: paths, templates and metadata may hold line ends, escape sequences and broken bytes, which a
// terminal must not obey.
std::string onOneLine(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = read_code_point(text, at);
    const bool isControl = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
    if (point.value == '\n') {
      line += "\\n";
    } else if (isControl) {
      line += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(point.value));
    } else {
      append_code_point(line, point.value);
    }
    at += point.n_bytes;
  }
  return line;
}

Error cannotWrite(const std::string& path, int reason) {
  return {ErrorCode::kResource, Message::plain(fmt::format("{}: cannot be written: {}", path, std::strerror(reason)))};
}

}  // namespace

void print(const std::string& text) {
  if (isLost) return;
  errno = 0;
  const bool isWritten = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!isWritten || std::fflush(stdout) != 0) lose(errno);
}

bool printFaint(const std::string& text) {
  if (isatty(STDOUT_FILENO) != 1) return false;
  print("\x1b[2m" + text + "\x1b[22m");
  return true;
}

void printLine(const std::string& text) { print(text + "\n"); }

std::string jsonText(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

void printJson(const Json& json) { printLine(jsonText(json)); }

void printNote(const std::string& text) {
  const std::string line = "headroom-cli: " + onOneLine(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

ProgressLine::ProgressLine() : m_isSeen(::isatty(STDERR_FILENO) != 0) {}

void ProgressLine::show(unsigned percent, const std::string& what) {
  if (!m_isSeen) return;
  std::fprintf(stderr, "\r%-70s", fmt::format("{:3} %  {}", percent, what).c_str());
  m_isShown = true;
}

void ProgressLine::clear() {
  if (m_isShown) std::fprintf(stderr, "\r%70s\r", "");
}

bool outputIsLost() {
  pollfd reader{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  if (!isLost && poll(&reader, 1, 0) > 0 && (reader.revents & (POLLERR | POLLHUP)) != 0) lose(EPIPE);
  return isLost;
}

Result<OutputFile> OutputFile::open(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
  int descriptor = ::open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0666);
  const bool isNew = descriptor >= 0;
  if (!isNew && errno == EEXIST) descriptor = ::open(path.c_str(), kFlags | O_CREAT, 0666);
  if (descriptor < 0) return cannotWrite(path.empty() ? "a file without a name" : path, errno);
  return OutputFile(path, descriptor, isNew);
}

OutputFile::OutputFile(std::string path, int descriptor, bool isNew)
    : m_path(std::move(path)), m_descriptor(descriptor), m_isNew(isNew) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : m_path(std::move(other.m_path)), m_descriptor(std::exchange(other.m_descriptor, -1)), m_isNew(other.m_isNew) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(m_path, other.m_path);
  std::swap(m_descriptor, other.m_descriptor);
  std::swap(m_isNew, other.m_isNew);
  return *this;
}

OutputFile::~OutputFile() {
  if (m_descriptor < 0) return;
  ::close(m_descriptor);
  if (m_isNew) ::unlink(m_path.c_str());
}

Status OutputFile::write(const std::string& bytes) {
  CHECK(m_descriptor >= 0, "an output file is written once");
  struct stat info {};
  const bool isFile = fstat(m_descriptor, &info) == 0 && S_ISREG(info.st_mode);
  int reason = isFile && ftruncate(m_descriptor, 0) != 0 ? errno : 0;
  for (std::size_t done = 0; reason == 0 && done < bytes.size();) {
    const ssize_t n = ::write(m_descriptor, bytes.data() + done, bytes.size() - done);
    if (n >= 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      reason = errno;
    }
  }
  // Some file systems tell only here that there was no room.
  if (::close(std::exchange(m_descriptor, -1)) != 0 && reason == 0) reason = errno;
  return reason == 0 ? ok_status() : cannotWrite(m_path, reason);
}

Result<std::optional<OutputFile>> openIfNamed(const std::string& path) {
  if (path.empty()) return std::optional<OutputFile>();
  Result<OutputFile> file = OutputFile::open(path);
  if (!file) return file.error();
  return std::optional<OutputFile>(std::move(*file));
}

}  // namespace headroom::cli
