// What is searched for, marked in the rows that have widgets, and the way to one hit.
#include <QScrollBar>
#include <algorithm>

#include "ui/chat/chat_view.h"

namespace headroom::ui {

int ChatView::firstSeenTurn() const {
  const int seen = verticalScrollBar()->value();
  const auto found = std::find_if(m_items.begin(), m_items.end(), [seen](const Item& item) {
    return !item.rows.empty() && item.rows.back().top + item.rows.back().height > seen;
  });
  return static_cast<int>(found - m_items.begin());
}

void ChatView::markFound(const QString& text, const QString& turnId, const FoundPlace& place) {
  if (text == m_found && turnId == m_foundTurn && place == m_foundPlace) return;
  m_found = text;
  m_foundTurn = turnId;
  m_foundPlace = place;
  for (const Item& item : m_items) {
    for (const Row& row : item.rows) markRow(item, row);
  }
}

// Where in the row the current hit is; -1 where it is in another one. Thoughts are not searched.
int ChatView::markRow(const Item& item, const Row& row) {
  if (!row.widget || row.isThought) return -1;
  const bool isFound = isFoundRow(item, row);
  return row.widget->markFound(m_found, isFound ? m_foundPlace.nth : -1);
}

bool ChatView::isFoundRow(const Item& item, const Row& row) const {
  const bool hasText = row.kind == Kind::Plain || row.kind == Kind::Prose || row.kind == Kind::Code;
  return hasText && !row.isThought && static_cast<int>(row.segment) == m_foundPlace.piece && item.id == m_foundTurn;
}

// A hit that is seen already stays where it is; another one comes to the upper third.
void ChatView::scrollToFound() {
  Item* item = findItem(m_foundTurn);
  if (item == nullptr) return;
  if (!item->isSplit) split(*item);
  const auto row =
      std::find_if(item->rows.begin(), item->rows.end(), [&](const Row& each) { return isFoundRow(*item, each); });
  if (row == item->rows.end()) return;
  realize(*item, *row);
  const int inRow = std::max(0, markRow(*item, *row));
  m_isLayingOut = true;
  computeTops();
  m_isLayingOut = false;
  const int height = viewport()->height(), margin = std::min(height / 4, 3 * fontMetrics().lineSpacing());
  const int at = row->top - verticalScrollBar()->value();
  const bool isSeen = at + inRow >= margin && at + inRow <= height - margin;
  const bool followed = m_followsEnd;
  m_followsEnd = false;
  m_anchor = {indexOf(*item), static_cast<std::size_t>(row - item->rows.begin()), isSeen ? at : height / 3 - inRow};
  layoutRows();
  m_followsEnd = isNearEnd();
  if (m_followsEnd != followed) emit endLeft(!m_followsEnd);
}

}  // namespace headroom::ui
