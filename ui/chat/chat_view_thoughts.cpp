// What a model thought, folded in or out above its answer.
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "ui/chat/chat_view.h"
#include "ui/chat/thinking_row.h"

namespace headroom::ui {

namespace {

constexpr int kThoughtIndentPx = 20;
constexpr int kThoughtLinePx = 2, kThoughtLineLeftPx = 7;  // below the middle of the arrow

}  // namespace

int ChatView::widthOf(const Row& row) const { return columnWidth() - (row.isThought ? kThoughtIndentPx : 0); }

// What is thought grows only while there is no answer, or where an earlier answer is continued.
void ChatView::appendThinking(const QString& turnId, const QString& text) {
  Item* item = findItem(turnId);
  const bool isFirst = item != nullptr && std::none_of(item->rows.begin(), item->rows.end(),
                                                       [](const Row& row) { return row.kind == Kind::Thinking; });
  if (item != nullptr && item->isSplit && (isFirst || (item->thought && item->thought->isFinished()))) {
    endSelectionFrom(indexOf(*item));
    for (Row& row : item->rows) dropWidget(row);
    split(*item);
  } else if (item != nullptr && item->thought) {
    addSegmentRows(*item, item->thought->append(text), true);
  }
  if (item != nullptr) showThinkingRow(*item);
  layoutRows();
}

void ChatView::refreshThinking(const QString& turnId) {
  if (const Item* item = findItem(turnId)) showThinkingRow(*item);
}

void ChatView::showThinkingRow(const Item& item) {
  for (const Row& row : item.rows) {
    if (row.kind == Kind::Thinking && row.widget)
      static_cast<ThinkingRow*>(row.widget.data())->show(*m_tree->find(item.id), item.isUnfolded);
  }
}

// The last line of a thought is whole once no more of it comes.
void ChatView::finishThought(Item& item) {
  showThinkingRow(item);
  if (!item.thought || item.thought->isFinished() || isThinking(*m_tree->find(item.id))) return;
  const std::size_t last = std::max<std::size_t>(item.thought->segments().size(), 1) - 1;
  item.thought->finish();
  addSegmentRows(item, last, true);
}

void ChatView::splitThought(Item& item) {
  const Turn& turn = *m_tree->find(item.id);
  item.thought = std::make_unique<MarkdownSegments>();
  item.thought->append(turn.thinking);
  if (!isThinking(turn)) item.thought->finish();
  addSegmentRows(item, 0, true);
}

void ChatView::dropThought(Item& item) {
  endSelectionFrom(indexOf(item));
  for (Row& row : item.rows) {
    if (row.isThought) dropWidget(row);
  }
  std::erase_if(item.rows, [](const Row& row) { return row.isThought; });
  item.thought.reset();
}

// The line that was pressed stays where it is, but for an answer that is still followed.
void ChatView::unfold(const QString& turnId, bool isUnfolded) {
  Item* item = findItem(turnId);
  if (item == nullptr || item->isUnfolded == isUnfolded) return;
  const bool followed = m_followsEnd;
  const auto head =
      std::find_if(item->rows.begin(), item->rows.end(), [](const Row& row) { return row.kind == Kind::Thinking; });
  if (head == item->rows.end()) return;
  const Anchor anchor{indexOf(*item), static_cast<std::size_t>(head - item->rows.begin()),
                      head->top - verticalScrollBar()->value()};
  item->isUnfolded = isUnfolded;
  if (isUnfolded) {
    splitThought(*item);
  } else {
    dropThought(*item);
  }
  viewport()->update();
  m_followsEnd = followed && m_tree->find(turnId)->state == TurnState::Writing;
  m_anchor = anchor;
  showThinkingRow(*item);
  layoutRows();
  m_followsEnd = isNearEnd();
  if (m_followsEnd != followed) emit endLeft(!m_followsEnd);
}

void ChatView::paintEvent(QPaintEvent* event) {
  QAbstractScrollArea::paintEvent(event);
  QPainter painter(viewport());
  const int seen = verticalScrollBar()->value();
  for (const Item& item : m_items) {
    for (const Row& row : item.rows) {
      if (!row.isThought) continue;
      painter.fillRect(columnLeft() + kThoughtLineLeftPx, row.top - seen, kThoughtLinePx, row.height,
                       m_theme.tokens().border);
    }
  }
}

}  // namespace headroom::ui
