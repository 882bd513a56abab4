#include "command.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/bytes.h"
#include "base/message_parts.h"

namespace headroom::cli {
namespace {

const char* codeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage: return "usage";
    case ErrorCode::kBadFile: return "bad_file";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kDoesNotFit: return "does_not_fit";
    case ErrorCode::kResource: return "resource";
    case ErrorCode::kCancelled: return "cancelled";
    case ErrorCode::kDeviceLost: return "device_lost";
  }
  return "unknown";
}

}  // namespace

ExitCode exitCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage: return kBadUsage;
    case ErrorCode::kBadFile:
    case ErrorCode::kUnsupported: return kBadModel;
    case ErrorCode::kDoesNotFit: return kNo;
    case ErrorCode::kResource:
    case ErrorCode::kCancelled: return kNoResource;
    case ErrorCode::kDeviceLost: return kNoResource;
  }
  return kNoResource;
}

std::string messageLine(const std::string& message) {
  const auto [sentence, details] = message_parts(message);
  return details.empty() ? message : fmt::format("{} {}", sentence, details);
}

ExitCode report(const Error& error, bool asJson) {
  if (error.code == ErrorCode::kCancelled && outputIsLost()) return kNoResource;
  const std::string message = messageLine(error.message.text());
  if (asJson) printJson({{"error", {{"code", codeName(error.code)}, {"message", message}}}});
  printNote(message);
  return exitCodeOf(error.code);
}

Status stillWanted() {
  if (outputIsLost()) return Error{ErrorCode::kCancelled, Message::plain("stopped: nobody reads the results")};
  return ok_status();
}

Result<std::string> readTextFile(const std::string& path) {
  constexpr Bytes kLargest = 256 * kMiB;
  const auto bad = [&](const std::string& what) {
    return Error{ErrorCode::kBadFile, Message::plain(fmt::format("{}: {}", path, what))};
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) return bad(fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text;
  std::array<char, 65536> bytes;
  errno = 0;
  while (const std::size_t n = std::fread(bytes.data(), 1, bytes.size(), file.get())) {
    text.append(bytes.data(), n);
    if (text.size() > kLargest)
      return bad(fmt::format("expected at most {} of text, found more", format_bytes(kLargest)));
  }
  if (std::ferror(file.get()) != 0) return bad(fmt::format("cannot be read: {}", std::strerror(errno)));
  return text;
}

Result<std::vector<TokenId>> parseTokens(std::string_view option, const std::string& text) {
  std::vector<TokenId> tokens;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto skipSeparators = [&] {
    while (at != end && (*at == ',' || *at == ' ' || *at == '\n' || *at == '\t' || *at == '[' || *at == ']')) ++at;
  };
  for (skipSeparators(); at != end; skipSeparators()) {
    TokenId token = 0;
    const auto [next, error] = std::from_chars(at, end, token);
    if (error != std::errc())
      return Error{ErrorCode::kUsage, Message::plain(fmt::format("{}: expected token ids such as 1,2,3, found \"{}\"",
                                                                 option, std::string(at, end)))};
    tokens.push_back(token);
    at = next;
  }
  return tokens;
}

}  // namespace headroom::cli
