#include "ui/main_window/panes.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

constexpr Panes kBoth{true, true};

TEST(PanesTest, the_panes_that_nobody_called_for_leave_the_chat_its_room_at_every_width) {
  for (int px = 300; px < 2000; ++px) {
    for (const Panes wanted : {Panes{}, Panes{true, false}, Panes{false, true}, kBoth}) {
      const ShownPanes shown = panesThatFit(px, wanted, std::nullopt);
      EXPECT_TRUE(shown.chat);
      EXPECT_LE(shown.panes.memory, wanted.memory) << px;
      EXPECT_LE(shown.panes.vram, wanted.vram) << px;
      if (shown.panes == Panes{}) continue;
      EXPECT_GE(px - (shown.panes.memory ? kMemoryPx : 0) - (shown.panes.vram ? kVramPx : 0), kChatPx) << px;
    }
  }
}

TEST(PanesTest, vram_folds_first_and_memory_behind_it) {
  EXPECT_EQ(panesThatFit(1100, kBoth, {}).panes, kBoth);
  EXPECT_EQ(panesThatFit(1099, kBoth, {}).panes, (Panes{true, false}));
  EXPECT_EQ(panesThatFit(790, kBoth, {}).panes, (Panes{true, false}));
  EXPECT_EQ(panesThatFit(789, kBoth, {}).panes, (Panes{false, true})) << "it needs less";
  EXPECT_EQ(panesThatFit(749, kBoth, {}).panes, Panes{});
}

TEST(PanesTest, one_that_was_called_for_is_there_at_every_width) {
  for (int px = 300; px < 2000; ++px) {
    for (const Pane called : {Pane::Memory, Pane::Vram}) {
      const ShownPanes shown = panesThatFit(px, kBoth, called);
      EXPECT_TRUE(shown.panes.has(called)) << px;
      const int leftPx = px - (shown.panes.memory ? kMemoryPx : 0) - (shown.panes.vram ? kVramPx : 0);
      EXPECT_EQ(shown.chat, leftPx >= kLeastChatPx) << px;
    }
  }
  EXPECT_EQ(panesThatFit(640, kBoth, Pane::Memory), (ShownPanes{{true, false}, false}));
  EXPECT_EQ(panesThatFit(640, Panes{}, Pane::Memory), ShownPanes{}) << "it was closed since";
}

}  // namespace
}  // namespace headroom::ui
