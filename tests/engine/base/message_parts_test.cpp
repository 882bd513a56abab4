#include "base/message_parts.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(MessageParts, details_stand_behind_the_full_stop_that_ends_a_line) {
  constexpr std::string_view kMessage = "m.gguf: cannot run.\nIt has 1.2 GiB. More.\nStill more.";
  const auto [sentence, details] = message_parts(kMessage);
  EXPECT_EQ(sentence, "m.gguf: cannot run.");
  EXPECT_EQ(details, "It has 1.2 GiB. More.\nStill more.");
}

TEST(MessageParts, a_sentence_alone_has_none_even_if_its_path_has_a_line_end) {
  for (const char* message : {"", "m.gguf: ends early", "m.gguf: ends early.", "a\nb.gguf: 1.5 GiB"}) {
    const auto [sentence, details] = message_parts(message);
    EXPECT_EQ(sentence, message);
    EXPECT_TRUE(details.empty()) << message;
  }
}

}  // namespace
}  // namespace headroom
