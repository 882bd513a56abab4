#include "ui/chat/chat_selection.h"

#include <algorithm>

namespace headroom::ui {

ChatSelection ChatSelection::ofTurns(std::size_t first, std::size_t last) {
  constexpr std::size_t kBehindAllPieces = std::numeric_limits<std::size_t>::max();
  return {{{first, false, 0}, 0}, {{last, true, kBehindAllPieces}, kToEnd}};
}

const TextPlace& ChatSelection::first() const { return std::min(m_ends->anchor, m_ends->head); }
const TextPlace& ChatSelection::last() const { return std::max(m_ends->anchor, m_ends->head); }
std::size_t ChatSelection::firstItem() const { return first().row.item; }
std::size_t ChatSelection::lastItem() const { return last().row.item; }

std::optional<ChatSelection::Part> ChatSelection::partOf(const TextRowKey& row) const {
  if (!m_ends || row < first().row || row > last().row) return std::nullopt;
  Part part;
  if (row == first().row) part.from = first().position;
  if (row == last().row) part.to = last().position;
  return part;
}

}  // namespace headroom::ui
