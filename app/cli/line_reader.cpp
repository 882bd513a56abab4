#include "line_reader.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/bytes.h"
#include "output.h"

namespace headroom::cli {
namespace {

constexpr Bytes kLongestLine = 256 * kMiB;

}  // namespace

Result<std::optional<std::string>> LineReader::next() {
  std::size_t searched = 0;
  while (!m_interrupts.isAsked()) {
    const std::size_t end = m_held.find('\n', searched);
    if (end != std::string::npos) {
      std::string line = m_held.substr(0, end);
      m_held.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return std::optional(std::move(line));
    }
    searched = m_held.size();
    if (searched > kLongestLine)
      return Error{ErrorCode::kUsage, Message::plain(fmt::format("standard input: expected lines of at most {}",
                                                                 format_bytes(kLongestLine)))};
    const Result<bool> more = fill();
    if (!more) return more.error();
    if (*more) continue;
    if (m_held.empty() || m_interrupts.isAsked()) break;
    return std::optional(std::exchange(m_held, {}));  // a last line without an end
  }
  return std::optional<std::string>();
}

bool LineReader::waitForInput() const {
  while (!m_interrupts.isAsked() && !outputIsLost()) {
    std::array<pollfd, 3> awaited{
        {{m_descriptor, POLLIN, 0}, {m_interrupts.wakeDescriptor(), POLLIN, 0}, {STDOUT_FILENO, 0, 0}}};
    if (poll(awaited.data(), awaited.size(), -1) > 0 && awaited[0].revents != 0) return true;
  }
  return false;
}

Result<bool> LineReader::fill() {
  std::array<char, 65536> bytes;
  while (waitForInput()) {
    const ssize_t n = ::read(m_descriptor, bytes.data(), bytes.size());
    if (n > 0) m_held.append(bytes.data(), static_cast<std::size_t>(n));
    if (n >= 0) return n > 0;
    if (errno == EINTR || errno == EAGAIN) continue;
    return Error{ErrorCode::kResource,
                 Message::plain(fmt::format("standard input: cannot be read: {}", std::strerror(errno)))};
  }
  return false;
}

}  // namespace headroom::cli
