#include "text/space_marks.h"

namespace headroom {

std::string without_space_marks(std::string_view token) {
  std::string bytes;
  bytes.reserve(token.size());
  while (!token.empty()) {
    const bool is_mark = token.starts_with(kSpaceMark);
    bytes += is_mark ? ' ' : token.front();
    token.remove_prefix(is_mark ? kSpaceMark.size() : 1);
  }
  return bytes;
}

}  // namespace headroom
