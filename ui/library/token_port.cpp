#include "ui/library/token_port.h"

#include <algorithm>

namespace headroom::ui {

bool isUsableToken(const QByteArray& token) {
  const bool isPlain = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  return !token.isEmpty() && isPlain && token.size() <= kMostTokenBytes;
}

}  // namespace headroom::ui
