#include "file/header_cursor.h"

#include <algorithm>

namespace headroom {
namespace {

constexpr Bytes kChunkBytes = 256 * kKiB;

}  // namespace

HeaderCursor::HeaderCursor(const InputFile& file, Bytes limit)
    : file_(file), limit_(std::min(limit, file.n_bytes())), chunk_(std::min(kChunkBytes, limit_)) {}

void HeaderCursor::fail(ErrorCode code, const Message& message) {
  if (error_) return;
  error_ = Error{code, context_.empty() ? message.said_of(file_.path().string())
                                        : Message::say("{}: {}: {}", file_.path().string(), context_, message)};
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

void HeaderCursor::copy(std::span<std::byte> out, const Message& what) {
  if (error_) return;
  if (out.size() > remaining()) {
    const Message end = limit_ < file_.n_bytes()
                            ? Message::say("the largest header that is accepted ends at byte {}", limit_)
                            : Message::say("the file ends at byte {}", limit_);
    fail(ErrorCode::kBadFile, Message::say("{} needs {} bytes at byte {}, but {}", what, out.size(), position_, end));
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

std::string HeaderCursor::read_string(const Message& what) {
  const auto n_bytes = read_number<std::uint64_t>(what);
  if (error_) return {};
  if (n_bytes > remaining()) {
    fail(ErrorCode::kBadFile,
         Message::say("{} claims {} bytes, {} are left in the header", what, n_bytes, remaining()));
    return {};
  }
  std::string text(n_bytes, '\0');
  copy(std::as_writable_bytes(std::span(text)), what);
  return text;
}

}  // namespace headroom
