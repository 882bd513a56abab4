#include "ui/chat/chat_view.h"

#include <QKeyEvent>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <algorithm>
#include <utility>

#include "ui/chat/thinking_row.h"
#include "ui/keys/view_keys.h"
#include "ui/theme/accessible_role.h"

namespace headroom::ui {

namespace {

constexpr int kEdgeMs = 30;  // between two steps of a view that scrolls under a drag

}  // namespace

ChatView::ChatView(const ChatTree& tree, const Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent), m_tree(&tree), m_theme(theme) {
  setAccessibleRole(this, QAccessible::Pane);
  setObjectName(QStringLiteral("chatView"));
  setFrameShape(NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Conversation"));
  m_more.setSingleShot(true);
  m_more.setInterval(1);  // a timer of 0 ms would fire before what was made is painted and before any key is taken
  connect(&m_more, &QTimer::timeout, this, &ChatView::layoutRows);
  m_edge.setInterval(kEdgeMs);
  connect(&m_edge, &QTimer::timeout, this, &ChatView::scrollAtEdge);
  connect(&theme, &Theme::changed, this, [this] {
    dropAllWidgets();
    m_more.start();
  });
}

ChatView::~ChatView() = default;

ChatView::Item* ChatView::findItem(const QString& id) {
  const auto found = std::find_if(m_items.begin(), m_items.end(), [&](const Item& item) { return item.id == id; });
  return found == m_items.end() ? nullptr : &*found;
}

int ChatView::widgetCount() const {
  int count = 0;
  for (const Item& item : m_items)
    count +=
        static_cast<int>(std::count_if(item.rows.begin(), item.rows.end(), [](const Row& row) { return row.widget; }));
  return count;
}

void ChatView::setActions(Actions actions) {
  if (actions == m_actions) return;
  m_actions = actions;
  for (Item& item : m_items) {
    for (Row& row : item.rows) {
      if (row.kind == Kind::Footer) dropWidget(row);
    }
  }
  layoutRows();
}

void ChatView::showTree(const ChatTree& tree, Actions actions) {
  m_tree = &tree;
  m_actions = actions;
  showPath();
}

void ChatView::showPath() {
  const QStringList path = m_tree->path();
  std::size_t same = 0;
  const auto isSame = [&](std::size_t i) {
    const Turn& turn = *m_tree->find(path[static_cast<qsizetype>(i)]);
    return m_items[i].id == turn.id && m_items[i].cut == turn.cutBefore;
  };
  while (same < m_items.size() && static_cast<qsizetype>(same) < path.size() && isSame(same)) ++same;
  endSelectionFrom(same);
  for (std::size_t i = same; i < m_items.size(); ++i) {
    for (Row& row : m_items[i].rows) dropWidget(row);
  }
  m_items.resize(same);
  for (qsizetype i = static_cast<qsizetype>(same); i < path.size(); ++i) {
    Item item;
    item.id = path[i];
    item.cut = m_tree->find(path[i])->cutBefore;
    item.rows.emplace_back();
    item.rows.back().height = estimate(item, item.rows.back());
    m_items.push_back(std::move(item));
  }
  for (Item& item : m_items) {
    if (item.isSplit) dropWidget(item.rows.back());  // the footer: versions, and whether it is the last
  }
  if (same == 0) m_followsEnd = true;
  m_anchor.item = std::min(m_anchor.item, m_items.empty() ? 0 : m_items.size() - 1);
  layoutRows();
}

void ChatView::refreshTurn(const QString& turnId) {
  Item* item = findItem(turnId);
  if (item == nullptr || !item->isSplit) return;
  Row& footer = item->rows.back();
  dropWidget(footer);
  const bool isWriting = m_tree->find(turnId)->state == TurnState::Writing;
  finishThought(*item);
  if (!isWriting && item->segments && !item->segments->isFinished()) {
    const std::size_t last = std::max<std::size_t>(item->segments->segments().size(), 1) - 1;
    item->segments->finish();
    addSegmentRows(*item, last);
  }
  layoutRows();
}

void ChatView::appendText(const QString& turnId, const QString& text) {
  Item* item = findItem(turnId);
  if (item == nullptr || !item->isSplit) {
    layoutRows();
    return;
  }
  if (item->segments->isFinished()) {  // the answer is continued: its last paragraph or its open fence may grow
    endSelectionFrom(indexOf(*item));
    for (Row& row : item->rows) dropWidget(row);
    split(*item);
  } else {
    finishThought(*item);
    addSegmentRows(*item, item->segments->append(text));
  }
  layoutRows();
}

std::vector<ChatView::Row>::iterator ChatView::endOfSegments(Item& item, bool isThought) {
  if (!isThought) return item.rows.end() - 1;
  const auto last = std::find_if(item.rows.rbegin(), item.rows.rend(),
                                 [](const Row& row) { return row.isThought || row.kind == Kind::Thinking; });
  return last.base();
}

const MarkdownSegment& ChatView::segmentOf(const Item& item, const Row& row) {
  return (row.isThought ? item.thought : item.segments)->segments()[row.segment];
}

// Rows of the segments from `first` on: existing ones show what has changed, new ones go behind those of their kind.
void ChatView::addSegmentRows(Item& item, std::size_t first, bool isThought) {
  const std::vector<MarkdownSegment>& segments = (isThought ? item.thought : item.segments)->segments();
  for (std::size_t i = first; i < segments.size(); ++i) {
    const Kind kind = segments[i].isCode ? Kind::Code : Kind::Prose;
    auto found = std::find_if(item.rows.begin(), item.rows.end(), [i, isThought](const Row& row) {
      return (row.kind == Kind::Prose || row.kind == Kind::Code) && row.segment == i && row.isThought == isThought;
    });
    if (found == item.rows.end()) {
      Row row;
      row.kind = kind;
      row.isThought = isThought;
      row.segment = i;
      row.height = estimate(item, row);
      item.rows.insert(endOfSegments(item, isThought), std::move(row));
      continue;
    }
    found->measured = false;
    const TextRowKey key = keyOf(indexOf(item), *found);
    if (const auto part = m_selection.partOf(key); part && !part->isWhole()) endSelection(nullptr);
    if (found->kind != kind) {  // backticks that turned out to open a fence
      if (hasMouse(key.item, *found)) stopDragging();
      dropWidget(*found);
      found->kind = kind;
    }
    if (!found->widget) continue;
    const QScopedValueRollback ours(m_isSelecting, true);
    if (kind == Kind::Prose) static_cast<ProseRow*>(found->widget.data())->showMarkdown(segments[i]);
    if (kind == Kind::Code) static_cast<CodeRow*>(found->widget.data())->showCode(segments[i]);
    if (!m_selection.isEmpty()) showPart(static_cast<TextRow&>(*found->widget), key);
    if (!m_found.isEmpty()) markRow(item, *found);
  }
}

void ChatView::split(Item& item) {
  const Turn& turn = *m_tree->find(item.id);
  item.rows.clear();
  item.thought.reset();
  const auto add = [&](Kind kind) {
    Row row;
    row.kind = kind;
    row.height = estimate(item, row);
    item.rows.push_back(std::move(row));
  };
  if (turn.cutBefore) add(Kind::Cut);
  add(Kind::Header);
  if (!turn.thinking.isEmpty()) add(Kind::Thinking);
  if (turn.role == Role::User) {
    splitPlain(item, turn.text);
    if (!turn.attachments.isEmpty()) add(Kind::Attachments);
  }
  add(Kind::Footer);
  if (turn.role == Role::Assistant) {
    item.segments = std::make_unique<MarkdownSegments>();
    item.segments->append(turn.text);
    if (turn.state != TurnState::Writing) item.segments->finish();
    addSegmentRows(item, 0);
    if (item.isUnfolded && !turn.thinking.isEmpty()) splitThought(item);
  }
  item.isSplit = true;
}

void ChatView::splitPlain(Item& item, const QString& text) {
  std::size_t index = 0;
  for (const PlainPiece& piece : plainPieces(text)) {
    Row row;
    row.kind = Kind::Plain;
    row.segment = index++;
    row.start = piece.start;
    row.length = piece.length;
    row.height = estimate(item, row);
    item.rows.push_back(std::move(row));
  }
}

int ChatView::estimate(const Item& item, const Row& row) const {
  const int line = fontMetrics().lineSpacing() * 5 / 4;
  const auto lines = [&](qsizetype chars) {
    const qsizetype perLine = std::max<qsizetype>(10, columnWidth() / std::max(1, fontMetrics().averageCharWidth()));
    return static_cast<int>(std::min<qsizetype>(chars / perLine + 1, 1'000'000));
  };
  switch (row.kind) {
    case Kind::Unsplit: return lines(m_tree->find(item.id)->text.size()) * line + 4 * line;
    case Kind::Plain: return lines(row.length) * line;
    case Kind::Prose: return lines(segmentOf(item, row).text.size()) * line;
    case Kind::Code: return static_cast<int>(segmentOf(item, row).text.count(u'\n') + 3) * line;
    case Kind::Cut:
    case Kind::Header:
    case Kind::Thinking:
    case Kind::Attachments:
    case Kind::Footer: break;
  }
  return 2 * line;
}

void ChatView::realize(Item& item, Row& row) {
  if (!row.widget) {
    row.widget = makeRow(item, row);
    if (!m_found.isEmpty()) markRow(item, row);
    watch(indexOf(item), row);
  }
  row.height = row.widget->heightFor(widthOf(row));
  row.measured = true;
}

ChatRow* ChatView::makeRow(Item& item, const Row& row) {
  const Turn& turn = *m_tree->find(item.id);
  switch (row.kind) {
    case Kind::Cut: return new CutRow(m_theme, turn.summary, viewport());
    case Kind::Header: return new HeaderRow(m_theme, turn, viewport());
    case Kind::Thinking: {
      auto* thinking = new ThinkingRow(m_theme, viewport());
      thinking->show(turn, item.isUnfolded);
      connect(thinking, &ThinkingRow::unfoldChosen, this, [this, id = item.id](bool on) { unfold(id, on); });
      return thinking;
    }
    case Kind::Attachments: {
      auto* files = new AttachmentsRow(m_theme, turn.attachments, viewport());
      connect(files, &AttachmentsRow::openChosen, this,
              [this, id = item.id](qsizetype index) { emit attachmentChosen(id, index); });
      return files;
    }
    case Kind::Plain: {
      auto* plain = new ProseRow(m_theme, CardPart::Middle, viewport());
      plain->showPlain(turn.text.mid(row.start, row.length));
      return plain;
    }
    case Kind::Prose: {
      auto* prose = new ProseRow(m_theme, CardPart::None, viewport(), row.isThought);
      prose->showMarkdown(segmentOf(item, row));
      return prose;
    }
    case Kind::Code: {
      const auto wholeCode = [this, id = item.id, first = row.segment, isThought = row.isThought] {
        const Item* found = findItem(id);
        const MarkdownSegments* all = found ? (isThought ? found->thought : found->segments).get() : nullptr;
        return all ? all->codeBlockFrom(first) : QString();
      };
      return new CodeRow(m_theme, segmentOf(item, row), wholeCode, viewport());
    }
    case Kind::Unsplit:
    case Kind::Footer: break;
  }
  return makeFooter(item);
}

ChatRow* ChatView::makeFooter(const Item& item) {
  const Turn& turn = *m_tree->find(item.id);
  const QStringList versions = m_tree->versions(item.id);
  FooterFacts facts;
  facts.copyText = turn.text;
  facts.version = static_cast<int>(versions.indexOf(item.id));
  facts.nVersions = static_cast<int>(versions.size());
  facts.isLast = item.id == m_items.back().id;
  facts.isBusy = m_actions.isBusy;
  facts.canAnswer = m_actions.canAnswer;
  facts.isWriting = turn.state == TurnState::Writing;
  auto* footer = new FooterRow(m_theme, turn, facts, viewport());
  connect(footer, &FooterRow::editChosen, this, [this, id = item.id] { emit editChosen(id); });
  connect(footer, &FooterRow::removeChosen, this, [this, id = item.id] { emit removeChosen(id); });
  connect(footer, &FooterRow::regenerateChosen, this, [this, id = item.id] { emit regenerateChosen(id); });
  connect(footer, &FooterRow::answerChosen, this, [this, id = item.id] { emit answerChosen(id); });
  connect(footer, &FooterRow::continueChosen, this, [this, id = item.id] { emit continueChosen(id); });
  connect(footer, &FooterRow::versionChosen, this, [this, versions, at = facts.version](int step) {
    const qsizetype next = at + step;
    if (next >= 0 && next < versions.size()) emit versionChosen(versions[next]);
  });
  return footer;
}

// Later, because a button of the row may be what asks for it.
void ChatView::dropWidget(Row& row) {
  row.measured = row.measured && row.kind != Kind::Footer;
  if (!row.widget) return;
  row.widget->hide();
  row.widget->deleteLater();
  row.widget = nullptr;
}

void ChatView::dropAllWidgets() {
  stopDragging();
  for (Item& item : m_items) {
    for (Row& row : item.rows) {
      dropWidget(row);
      row.measured = false;
    }
  }
}

void ChatView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) {
    dropAllWidgets();
    m_more.start();
  }
  QAbstractScrollArea::changeEvent(event);
}

void ChatView::keyPressEvent(QKeyEvent* event) {
  QScrollBar* bar = verticalScrollBar();
  for (const auto& [key, action] : {std::pair(ViewKey::LineUp, QScrollBar::SliderSingleStepSub),
                                    std::pair(ViewKey::LineDown, QScrollBar::SliderSingleStepAdd),
                                    std::pair(ViewKey::PageUp, QScrollBar::SliderPageStepSub),
                                    std::pair(ViewKey::PageDown, QScrollBar::SliderPageStepAdd),
                                    std::pair(ViewKey::ToStart, QScrollBar::SliderToMinimum)}) {
    if (isViewKey(*event, key)) return bar->triggerAction(action);
  }
  if (pressKey(this, *event)) return;
  isViewKey(*event, ViewKey::ToEnd) ? scrollToEnd() : QAbstractScrollArea::keyPressEvent(event);
}

}  // namespace headroom::ui
