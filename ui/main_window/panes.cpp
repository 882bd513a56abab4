#include "ui/main_window/panes.h"

namespace headroom::ui {

ShownPanes panesThatFit(int widthPx, const Panes& wanted, std::optional<Pane> called) {
  const auto px = [](Pane pane) { return pane == Pane::Memory ? kMemoryPx : kVramPx; };
  ShownPanes shown;
  int roomPx = widthPx - kChatPx;
  const bool isVramFirst = called == Pane::Vram;
  for (const Pane pane : {isVramFirst ? Pane::Vram : Pane::Memory, isVramFirst ? Pane::Memory : Pane::Vram}) {
    if (!wanted.has(pane) || roomPx < px(pane)) continue;
    shown.panes.set(pane, true);
    roomPx -= px(pane);
  }
  if (!called || !wanted.has(*called) || shown.panes.has(*called)) return shown;
  shown.panes = {};
  shown.panes.set(*called, true);
  shown.chat = widthPx >= px(*called) + kLeastChatPx;
  return shown;
}

}  // namespace headroom::ui
