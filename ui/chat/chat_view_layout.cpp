// Where the rows of a conversation stand, which of them are made, and the place that stays where it is.
#include <QElapsedTimer>
#include <QScrollBar>
#include <algorithm>

#include "ui/chat/chat_view.h"
#include "ui/theme/text_scale.h"

namespace headroom::ui {

namespace {

constexpr int kColumnPx = 780;
constexpr int kAroundPx = 20;
constexpr int kAheadPx = 600;    // rows this far outside of what is seen are made in advance
constexpr int kKeepPx = 2400;    // and kept until they are this far away
constexpr qint64 kBudgetMs = 5;  // for making rows, which take half as long again to be placed
constexpr int kEndSlackPx = 24;  // this near to the end counts as there

}  // namespace

int ChatView::columnWidth() const {
  return std::max(80, std::min(viewport()->width() - 2 * kAroundPx, scaledToText(kColumnPx)));
}
int ChatView::columnLeft() const { return (viewport()->width() - columnWidth()) / 2; }

// Realizes rows near what is seen until the time of this pass is used up, then places what there is.
void ChatView::layoutRows() {
  if (m_isLayingOut) return;
  m_isLayingOut = true;
  m_more.stop();
  if (columnWidth() != m_measuredWidth) {
    m_measuredWidth = columnWidth();
    for (Item& item : m_items) {
      for (Row& row : item.rows) row.measured = false;
    }
  }
  QElapsedTimer clock;
  clock.start();
  bool isDone = false;
  computeTops();
  do {  // a row at least, else a pass that is slow before its first one would come back forever
    isDone = !realizeNext();
    computeTops();
  } while (!isDone && clock.elapsed() < kBudgetMs);
  placeWidgets();
  m_isLayingOut = false;
  if (!isDone) m_more.start();
}

void ChatView::computeTops() {
  int top = kAroundPx;
  for (Item& item : m_items) {
    for (std::size_t r = 0; r < item.rows.size(); ++r) {
      Row& row = item.rows[r];
      row.top = top;
      top += row.height;
      // A gap between thought and answer. A footer ends the rows, so that there is a next one.
      if (row.isThought && !item.rows[r + 1].isThought) top += kGrid;
    }
    if (!item.rows.empty() && item.rows.front().kind != Kind::Unsplit && m_tree->find(item.id)->role == Role::User)
      top += kAroundPx;
  }
  m_totalHeight = top + kAroundPx;
  applyAnchor();
}

void ChatView::applyAnchor() {
  QScrollBar* bar = verticalScrollBar();
  bar->setPageStep(viewport()->height());
  bar->setSingleStep(fontMetrics().lineSpacing() * 3);
  bar->setRange(0, std::max(0, m_totalHeight - viewport()->height()));
  if (m_followsEnd) {
    bar->setValue(bar->maximum());
  } else if (m_anchor.item < m_items.size()) {
    const Item& item = m_items[m_anchor.item];
    const Row& row = item.rows[std::min(m_anchor.row, item.rows.size() - 1)];
    bar->setValue(row.top - m_anchor.offset);
  }
}

void ChatView::rememberAnchor() {
  const int seen = verticalScrollBar()->value();
  for (std::size_t i = 0; i < m_items.size(); ++i) {
    for (std::size_t r = 0; r < m_items[i].rows.size(); ++r) {
      const Row& row = m_items[i].rows[r];
      if (row.top + row.height <= seen) continue;
      m_anchor = {i, r, row.top - seen};
      return;
    }
  }
}

// Makes or measures one row, those that are seen first. False when there is none left to do.
bool ChatView::realizeNext() {
  const int seen = verticalScrollBar()->value(), height = viewport()->height();
  for (const int ahead : {0, kAheadPx}) {
    for (std::size_t i = 0; i < m_items.size(); ++i) {
      Item& item = m_items[i];
      if (item.rows.empty() || item.rows.back().top + item.rows.back().height < seen - ahead) continue;
      if (item.rows.front().top > seen + height + ahead) break;
      if (!item.isSplit) {
        split(item);
        if (m_anchor.item == i) m_anchor.row = 0;
        return true;
      }
      for (Row& row : item.rows) {
        const bool isNear = row.top + row.height >= seen - ahead && row.top <= seen + height + ahead;
        if (!isNear || (row.measured && row.widget)) continue;
        realize(item, row);
        return true;
      }
    }
  }
  return false;
}

void ChatView::placeWidgets() {
  const int seen = verticalScrollBar()->value(), height = viewport()->height();
  bool hasThoughts = false;
  for (std::size_t i = 0; i < m_items.size(); ++i) {
    for (Row& row : m_items[i].rows) {
      if (!row.widget) continue;
      hasThoughts |= row.isThought;
      const bool isFar = row.top + row.height < seen - kKeepPx || row.top > seen + height + kKeepPx;
      if (isFar && !row.widget->isAncestorOf(focusWidget()) && !hasMouse(i, row)) {
        dropWidget(row);
        continue;
      }
      row.widget->setGeometry(columnLeft() + columnWidth() - widthOf(row), row.top - seen, widthOf(row), row.height);
      // Shown only where it is seen: an invisible widget costs nothing, and Tab stays near the eye.
      const bool isSeen = row.top + row.height > seen && row.top < seen + height;
      if (isSeen != row.widget->isVisibleTo(viewport())) row.widget->setVisible(isSeen);
    }
  }
  if (hasThoughts) viewport()->update();  // the lines beside them
}

void ChatView::scrollToEnd() {
  m_followsEnd = true;
  layoutRows();
  emit endLeft(false);
}

ChatView::Place ChatView::place() const {
  Place place{m_followsEnd, m_anchor.item, m_anchor.row, m_anchor.offset, {}};
  for (const Item& item : m_items) {
    if (item.isUnfolded) place.unfolded << item.id;
  }
  return place;
}

void ChatView::takeOver(const Place& place) {
  for (Item& item : m_items) {
    item.isUnfolded = place.unfolded.contains(item.id);
    if (!item.isUnfolded || !item.isSplit || item.thought) continue;
    for (Row& row : item.rows) dropWidget(row);
    split(item);
  }
  // Rows are counted in a turn that is split.
  if (!place.followsEnd && place.item < m_items.size() && !m_items[place.item].isSplit) split(m_items[place.item]);
  m_followsEnd = place.followsEnd;
  m_anchor = {place.item, place.row, place.offsetPx};
  layoutRows();
  emit endLeft(!m_followsEnd);
}

bool ChatView::isNearEnd() const {
  return verticalScrollBar()->value() >= verticalScrollBar()->maximum() - kEndSlackPx;
}

void ChatView::scrollContentsBy(int, int) {
  if (m_isLayingOut) return;  // our own correction, not the user's wish
  const bool atEnd = isNearEnd();
  if (atEnd != m_followsEnd) emit endLeft(!atEnd);
  m_followsEnd = atEnd;
  rememberAnchor();
  placeWidgets();
  m_more.start();
}

void ChatView::resizeEvent(QResizeEvent*) { layoutRows(); }

}  // namespace headroom::ui
