#include "file/header_cursor.h"

#include <fmt/format.h>

#include <algorithm>

namespace headroom {
namespace {

constexpr Bytes kChunkBytes = 256 * kKiB;

}  // namespace

HeaderCursor::HeaderCursor(const InputFile& file, Bytes limit)
    : file_(file), limit_(std::min(limit, file.n_bytes())), chunk_(std::min(kChunkBytes, limit_)) {}

void HeaderCursor::fail(ErrorCode code, std::string_view message) {
  if (error_) return;
  error_ = Error{code, context_.empty() ? fmt::format("{}: {}", file_.path().string(), message)
                                        : fmt::format("{}: {}: {}", file_.path().string(), context_, message)};
}

bool HeaderCursor::refill() {
  chunk_used_ = 0;
  chunk_filled_ = std::min<Bytes>(chunk_.size(), remaining());
  Status status = file_.read_at(position_, std::span(chunk_).first(chunk_filled_));
  if (!status) {
    chunk_filled_ = 0;
    if (!error_) error_ = status.error();
  }
  return status.ok();
}

void HeaderCursor::copy(std::span<std::byte> out, std::string_view what) {
  if (error_) return;
  if (out.size() > remaining()) {
    fail(ErrorCode::kBadFile,
         fmt::format("{} needs {} bytes at byte {}, but {} at byte {}", what, out.size(), position_,
                     limit_ < file_.n_bytes() ? "the largest header that is accepted ends" : "the file ends", limit_));
    return;
  }
  while (!out.empty()) {
    if (chunk_used_ == chunk_filled_ && !refill()) return;
    const std::size_t n = std::min(out.size(), chunk_filled_ - chunk_used_);
    std::memcpy(out.data(), chunk_.data() + chunk_used_, n);
    chunk_used_ += n;
    position_ += n;
    out = out.subspan(n);
  }
}

std::string HeaderCursor::read_string(std::string_view what) {
  const auto n_bytes = read_number<std::uint64_t>(what);
  if (error_) return {};
  if (n_bytes > remaining()) {
    fail(ErrorCode::kBadFile, fmt::format("{} claims {} bytes, {} are left in the header", what, n_bytes, remaining()));
    return {};
  }
  std::string text(n_bytes, '\0');
  copy(std::as_writable_bytes(std::span(text)), what);
  return text;
}

}  // namespace headroom
