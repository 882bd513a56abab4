// A step of one token for each of several slots, as tests write it.
#pragma once

#include <vector>

#include "run/session.h"

namespace headroom::test {

struct SlotToken {
  std::uint32_t slot = 0;
  TokenId token = 0;
};

inline Status decode(Session& session, const std::vector<SlotToken>& tokens, const StopToken& stop = {}) {
  std::vector<SlotRows> parts;
  for (const SlotToken& next : tokens) parts.push_back({next.slot, {&next.token, 1}, 1});
  return session.step(parts, stop);
}

}  // namespace headroom::test
