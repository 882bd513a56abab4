#include "text/utf8_stream.h"

#include "text/utf8.h"

namespace headroom {

std::string Utf8Stream::push(std::string_view bytes) {
  pending_.append(bytes);
  std::string whole;
  whole.reserve(pending_.size());
  std::size_t pos = 0;
  while (pos < pending_.size()) {
    const CodePoint point = read_code_point(pending_, pos);
    if (point.truncated) break;
    if (point.valid) {
      whole.append(pending_, pos, point.n_bytes);
    } else {
      whole.append(kReplacementCharacter);
    }
    pos += point.n_bytes;
  }
  pending_.erase(0, pos);
  return whole;
}

std::string Utf8Stream::finish() {
  if (pending_.empty()) return {};
  pending_.clear();  // at most three bytes, all of one unfinished sequence
  return std::string(kReplacementCharacter);
}

}  // namespace headroom
