#include "command.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/bytes.h"
#include "file/input_file.h"
#include "text/utf8.h"

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
  }
  return "unknown";
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

}  // namespace

ExitCode exitCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage: return kBadUsage;
    case ErrorCode::kBadFile:
    case ErrorCode::kUnsupported: return kBadModel;
    case ErrorCode::kDoesNotFit: return kNo;
    case ErrorCode::kResource:
    case ErrorCode::kCancelled: return kNoResource;
  }
  return kNoResource;
}

ExitCode report(const Error& error, bool asJson) {
  if (asJson) printJson({{"error", {{"code", codeName(error.code)}, {"message", error.message}}}});
  printNote(error.message);
  return exitCodeOf(error.code);
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void printLine(const std::string& text) { print(text + "\n"); }

void printJson(const Json& json) { printLine(json.dump(2, ' ', false, Json::error_handler_t::replace)); }

void printNote(const std::string& text) {
  const std::string line = "headroom-cli: " + onOneLine(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Status writeFile(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) return ok_status();
  return Error{ErrorCode::kResource, fmt::format("cannot write {}: {}", path, std::strerror(errno))};
}

Result<std::string> readTextFile(const std::string& path) {
  constexpr Bytes kLargest = 256 * kMiB;
  const Result<InputFile> file = InputFile::open(path);
  if (!file) return file.error();
  if (file->n_bytes() > kLargest) {
    return Error{ErrorCode::kBadFile, fmt::format("{} has {}: expected at most {}", path, format_bytes(file->n_bytes()),
                                                  format_bytes(kLargest))};
  }
  std::string text(file->n_bytes(), '\0');
  if (Status read = file->read_at(0, std::as_writable_bytes(std::span(text.data(), text.size()))); !read)
    return read.error();
  return text;
}

Result<std::vector<TokenId>> parseTokens(const std::string& text) {
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
      return Error{ErrorCode::kUsage,
                   fmt::format("expected token ids such as 1,2,3, found \"{}\"", std::string(at, end))};
    tokens.push_back(token);
    at = next;
  }
  return tokens;
}

void addJsonOption(CLI::App& app, bool& asJson) { app.add_flag("--json", asJson, "Print JSON; errors too"); }

void addExample(CLI::App& app, const std::string& example) { app.footer("Example:\n  headroom-cli " + example); }

}  // namespace headroom::cli
