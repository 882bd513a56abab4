// What is selected over several rows: drawn by the mouse or chosen by keys, shown in the rows that have widgets, and
// copied from all.
#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QMenu>
#include <QMouseEvent>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QTextCursor>
#include <QTextDocument>
#include <algorithm>
#include <memory>

#include "ui/chat/chat_view.h"
#include "ui/chat/markdown_writer.h"
#include "ui/keys/view_keys.h"

namespace headroom::ui {

namespace {

// Each tick scrolls by a step and by a share of how far the pointer is out: 40 pixels above the view, 30 + 10. A step
// is more than what still counts as the end of the conversation, which would be scrolled to again.
constexpr int kEdgeStepPx = 30, kEdgeShare = 4;

}  // namespace

// For a row whose widget was just made: shows what is selected of it, and listens to the mouse and the keys in it.
void ChatView::watch(std::size_t item, const Row& row) {
  auto* text = qobject_cast<TextRow*>(row.widget.data());
  if (text == nullptr) return;
  showPart(*text, keyOf(item, row));
  text->view()->installEventFilter(this);
  text->view()->viewport()->installEventFilter(this);
  // What a row selects by itself ends what was selected elsewhere.
  connect(text, &TextRow::selectionChanged, this, [this, text] {
    if (!m_isSelecting) endSelection(text);
  });
}

ChatView::TextAt ChatView::textRowOf(const QObject* object) const {
  for (std::size_t i = 0; i < m_items.size(); ++i) {
    for (const Row& row : m_items[i].rows) {
      auto* text = qobject_cast<TextRow*>(row.widget.data());
      if (text != nullptr && (text->view() == object || text->view()->viewport() == object))
        return {keyOf(i, row), text};
    }
  }
  return {};
}

// The text at the height of the pointer. Between two texts, where names and buttons stand, the nearer one.
ChatView::TextAt ChatView::nearestText(const QPoint& globalPos) const {
  const int y = viewport()->mapFromGlobal(globalPos).y();
  TextAt nearest;
  int distance = 0;
  for (std::size_t i = 0; i < m_items.size(); ++i) {
    for (const Row& row : m_items[i].rows) {
      auto* text = qobject_cast<TextRow*>(row.widget.data());
      if (text == nullptr || !text->isVisible()) continue;
      const QRect rect = text->geometry();
      const int off = std::max({rect.top() - y, y - rect.bottom(), 0});
      if (nearest.row != nullptr && off >= distance) continue;
      nearest = {keyOf(i, row), text};
      distance = off;
    }
  }
  return nearest;
}

bool ChatView::eventFilter(QObject* object, QEvent* event) {
  switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick: return pressText(object, static_cast<QMouseEvent&>(*event));
    case QEvent::MouseMove: {
      const auto& mouse = static_cast<QMouseEvent&>(*event);
      if (!mouse.buttons().testFlag(Qt::LeftButton)) stopDragging();
      return m_isDragging && dragTo(mouse.globalPosition().toPoint());
    }
    case QEvent::MouseButtonRelease: return releaseText(object, event);
    case QEvent::ContextMenu:
      if (m_selection.isEmpty()) break;
      showSelectionMenu(static_cast<QContextMenuEvent*>(event)->globalPos());
      return true;
    case QEvent::KeyPress:
      if (pressKey(object, static_cast<QKeyEvent&>(*event))) return true;
      break;
    default: break;
  }
  return QAbstractScrollArea::eventFilter(object, event);
}

// Begins a selection; with Shift, in another row than where the last one began, draws that one up to here. True: the
// row is not to hear of the press.
bool ChatView::pressText(const QObject* object, const QMouseEvent& event) {
  if (event.button() != Qt::LeftButton) return false;
  const TextAt text = textRowOf(object);
  if (text.row == nullptr) return false;
  const QPoint at = event.globalPosition().toPoint();
  if (event.modifiers().testFlag(Qt::ShiftModifier) && m_pressed) {
    m_isDragging = text.key != m_pressed->row;
    if (m_isDragging) return dragTo(at);
    endSelection(text.row);
    return false;
  }
  endSelection(nullptr);  // of this row too: a press on what is selected would begin to drag the text itself
  m_pressed = TextPlace{text.key, text.row->positionAt(at)};
  m_isDragging = true;
  return false;
}

// When the button is let go, a row says that its selection has changed even where it has not, and puts its own part
// into the clipboard of X11's middle button. Both are for the whole selection to say, so the row hears of it from here.
bool ChatView::releaseText(QObject* object, QEvent* event) {
  stopDragging();
  if (m_selection.isEmpty() || m_isSelecting) return false;
  {
    const QScopedValueRollback ours(m_isSelecting, true);
    QCoreApplication::sendEvent(object, event);
  }
  QClipboard* clipboard = QGuiApplication::clipboard();
  if (clipboard->supportsSelection()) clipboard->setText(selectedText(), QClipboard::Selection);
  return true;
}

// Beside all texts.
void ChatView::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) {
    stopDragging();
    endSelection(nullptr);
  }
  QAbstractScrollArea::mousePressEvent(event);
}

// Selects from where the mouse was pressed to here. True: the row that was pressed is not to hear of the move, since it
// would select up to its own end.
bool ChatView::dragTo(const QPoint& globalPos) {
  m_pointer = globalPos;
  const int y = viewport()->mapFromGlobal(globalPos).y();
  const bool isOut = y < 0 || y >= viewport()->height();
  if (isOut != m_edge.isActive()) isOut ? m_edge.start() : m_edge.stop();
  const TextAt text = nearestText(globalPos);
  if (text.row == nullptr) return false;
  if (text.key == m_pressed->row) {
    if (!m_selection.isEmpty()) endSelection(text.row);
    // A row that hears of a pointer outside of it scrolls itself from then on, by a timer of its own.
    const QWidget* inside = text.row->view()->viewport();
    if (inside->rect().contains(inside->mapFromGlobal(globalPos))) return false;
    const QScopedValueRollback ours(m_isSelecting, true);
    text.row->select(m_pressed->position, text.row->positionAt(globalPos));
    return true;
  }
  select({*m_pressed, {text.key, text.row->positionAt(globalPos)}});
  return true;
}

void ChatView::scrollAtEdge() {
  const int y = viewport()->mapFromGlobal(m_pointer).y();
  const int out = y < 0 ? y : std::max(0, y - viewport()->height() + 1);
  if (out == 0) return m_edge.stop();
  QScrollBar* bar = verticalScrollBar();
  bar->setValue(bar->value() + out / kEdgeShare + (out < 0 ? -kEdgeStepPx : kEdgeStepPx));
  dragTo(m_pointer);
}

// A row goes on by itself when the pointer comes back into it, and then from its cursor's anchor: so that has to be
// where the mouse was pressed, which is the end of a part that is drawn upwards.
void ChatView::showPart(TextRow& text, const TextRowKey& key) {
  const auto part = m_selection.partOf(key);
  if (!part) return text.selectNothing();
  m_selection.isUpwards() ? text.select(part->to, part->from) : text.select(part->from, part->to);
}

// `except` is left as it is.
void ChatView::select(const ChatSelection& selection, const TextRow* except) {
  m_selection = selection;
  const QScopedValueRollback ours(m_isSelecting, true);
  for (std::size_t i = 0; i < m_items.size(); ++i) {
    for (const Row& row : m_items[i].rows) {
      auto* text = qobject_cast<TextRow*>(row.widget.data());
      if (text != nullptr && text != except) showPart(*text, keyOf(i, row));
    }
  }
}

void ChatView::stopDragging() {
  m_isDragging = false;
  m_edge.stop();
}

// The view keeps the widget that has the mouse, however far it is scrolled away.
bool ChatView::hasMouse(std::size_t item, const Row& row) const {
  return m_isDragging && m_pressed->row == keyOf(item, row);
}

// What one row has selected by itself may stay.
void ChatView::endSelection(const TextRow* except) { select({}, except); }

// The rows of these turns go, or become others.
void ChatView::endSelectionFrom(std::size_t item) {
  if (m_pressed && m_pressed->row.item >= item) {
    stopDragging();
    m_pressed.reset();
  }
  if (!m_selection.isEmpty() && m_selection.lastItem() >= item) endSelection(nullptr);
}

// Ctrl+A once is the row's own: its text. Then its message, then the conversation.
bool ChatView::pressKey(const QObject* object, const QKeyEvent& event) {
  if (isViewKey(event, ViewKey::CopySelected) && !m_selection.isEmpty()) {
    QGuiApplication::clipboard()->setText(selectedText());
    return true;
  }
  if (!isViewKey(event, ViewKey::SelectMore) || m_items.empty()) return false;
  const ChatSelection all = ChatSelection::ofTurns(0, m_items.size() - 1);
  const TextAt text = textRowOf(object);
  if (text.row == nullptr) {
    select(all);
    return true;
  }
  const ChatSelection turn = ChatSelection::ofTurns(text.key.item, text.key.item);
  if (m_selection.isEmpty() && !text.row->isSelected()) return false;
  select(m_selection == turn ? all : turn);
  return true;
}

void ChatView::showSelectionMenu(const QPoint& globalPos) {
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("selectionMenu"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  // What was selected when it was opened: text that comes may end that.
  menu->addAction(tr("&Copy"), this, [text = selectedText()] { QGuiApplication::clipboard()->setText(text); })
      ->setShortcut(keysOf(ViewKey::CopySelected).value(0));
  menu->popup(globalPos);
}

// A row that is selected in part, and has been left far behind, is made again for a moment: positions are those of its
// document.
QString ChatView::textOf(Item& item, const Row& row, const ChatSelection::Part& part) {
  if (row.kind == Kind::Plain && part.isWhole()) return m_tree->find(item.id)->text.mid(row.start, row.length);
  if (row.kind == Kind::Code && part.isWhole()) return segmentOf(item, row).text;
  if (row.kind == Kind::Prose && part.isWhole()) {
    QTextDocument document;
    appendMarkdown(document, segmentOf(item, row).text, ProseStyle::of(m_theme.tokens(), font()));
    QTextCursor whole(&document);
    whole.select(QTextCursor::Document);
    return plainTextOf(whole);
  }
  if (row.widget) return static_cast<TextRow*>(row.widget.data())->textOf(part.from, part.to);
  const std::unique_ptr<ChatRow> made(makeRow(item, row));
  return static_cast<TextRow*>(made.get())->textOf(part.from, part.to);
}

// Pieces of one text, or of one block of code, are apart for the view's sake alone.
QString ChatView::textBefore(const Item& item, const Row& row) const {
  if (row.kind == Kind::Plain && row.segment > 0)
    return m_tree->find(item.id)->text[row.start - 1] == u'\n' ? QStringLiteral("\n") : QString();
  const bool goesOn = row.kind == Kind::Code && segmentOf(item, row).continuesCode;
  return goesOn ? QStringLiteral("\n") : QStringLiteral("\n\n");
}

QString ChatView::selectedText() {
  QString all;
  if (m_selection.isEmpty()) return all;
  const std::size_t last = std::min(m_selection.lastItem(), m_items.size() - 1);
  bool hasSplit = false;
  for (std::size_t i = m_selection.firstItem(); i <= last; ++i) {
    Item& item = m_items[i];
    if (!item.isSplit) {
      split(item);
      hasSplit = true;
    }
    for (const Row& row : item.rows) {
      if (row.kind != Kind::Plain && row.kind != Kind::Prose && row.kind != Kind::Code) continue;
      const auto part = m_selection.partOf(keyOf(i, row));
      if (!part) continue;
      QString text = textOf(item, row, *part);
      if (row.kind == Kind::Code && text.endsWith(u'\n')) text.chop(1);
      if (text.isEmpty()) continue;
      if (!all.isEmpty()) all += textBefore(item, row);
      all += text;
    }
  }
  if (hasSplit) layoutRows();
  return all;
}

}  // namespace headroom::ui
