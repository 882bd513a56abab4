// Which panes a window of some width shows beside the chat. Plain values: tested for every width.
#pragma once

#include <optional>

namespace headroom::ui {

enum class Pane { Memory, Vram };

struct Panes {
  bool memory = false, vram = false;
  bool has(Pane pane) const { return pane == Pane::Memory ? memory : vram; }
  void set(Pane pane, bool on) { (pane == Pane::Memory ? memory : vram) = on; }
  bool operator==(const Panes&) const = default;
};

struct PaneWidths {  // in pixels; 0: as it comes
  int memory = 0, vram = 0;
  int of(Pane pane) const { return pane == Pane::Memory ? memory : vram; }
  void set(Pane pane, int px) { (pane == Pane::Memory ? memory : vram) = px; }
  bool operator==(const PaneWidths&) const = default;
};

struct ShownPanes {
  Panes panes;
  bool chat = true;
  bool operator==(const ShownPanes&) const = default;
};

// The least width in pixels, at the usual size of text, that each takes without being cut off, and what the chat keeps
// while a pane that nobody called for just now stands beside it.
inline constexpr int kMemoryPx = 350, kVramPx = 310, kLeastChatPx = 370, kChatPx = 440;

// Of the wanted panes those that leave the chat its room: VRAM folds below 1,100 px, Memory below 790. One that was
// `called` for while there was no room is shown all the same: alone beside the chat, or in its place.
ShownPanes panesThatFit(int widthPx, const Panes& wanted, std::optional<Pane> called);

}  // namespace headroom::ui
