#include "ui/chat/chat_finder.h"

#include <QElapsedTimer>
#include <QTextBlock>
#include <QTextDocument>
#include <utility>

#include "ui/chat/found_marks.h"
#include "ui/chat/markdown_writer.h"

namespace headroom::ui {

namespace {

constexpr qsizetype kPlainChars = 3000;  // of the user's text in one row

qsizetype plainEnd(const QString& text, qsizetype start) {
  if (text.size() - start <= kPlainChars) return text.size();
  const qsizetype newline = text.lastIndexOf(u'\n', start + kPlainChars);
  if (newline > start) return newline + 1;
  const qsizetype end = start + kPlainChars;
  return text[end - 1].isHighSurrogate() ? end - 1 : end;
}

// As the row writes it, so that the hits of both have the same numbers.
QStringList shownLines(const MarkdownSegment& segment) {
  if (segment.isCode) return segment.text.split(u'\n');
  QTextDocument document;
  document.setUndoRedoEnabled(false);
  appendMarkdown(document, segment.text, {});
  QStringList lines;
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) lines.append(block.text());
  return lines;
}

}  // namespace

std::vector<PlainPiece> plainPieces(const QString& text) {
  std::vector<PlainPiece> pieces;
  for (qsizetype start = 0; start < text.size();) {
    const qsizetype end = plainEnd(text, start);
    // The line break between two rows is shown by their being two.
    const bool dropsBreak = end < text.size() && text[end - 1] == u'\n';
    pieces.push_back({start, end - start - (dropsBreak ? 1 : 0)});
    start = end;
  }
  return pieces;
}

ChatFinder::ChatFinder(QObject* parent) : QObject(parent) {
  m_more.setSingleShot(true);
  m_more.setInterval(0);
  connect(&m_more, &QTimer::timeout, this, &ChatFinder::searchOn);
}

ChatFinder::~ChatFinder() = default;

void ChatFinder::showTree(const ChatTree* tree) {
  m_tree = tree;
  m_shown.clear();
  find({});
}

void ChatFinder::find(const QString& text) {
  m_text = text;
  m_matcher = QStringMatcher(text, Qt::CaseInsensitive);
  m_places.clear();
  m_segments.reset();
  m_turn = 0;
  m_path = m_tree != nullptr && !text.isEmpty() ? m_tree->path() : QStringList();
  searchOn();
}

void ChatFinder::searchOn() {
  m_more.stop();
  QElapsedTimer clock;
  clock.start();
  while (m_turn < m_path.size() && clock.elapsed() < kPassMs) step();
  if (m_turn < m_path.size()) m_more.start();
  emit changed();
}

void ChatFinder::step() {
  const Turn* turn = m_tree->find(m_path[m_turn]);
  if (turn == nullptr) {  // the path is being changed: refresh() comes
    ++m_turn;
    return;
  }
  const bool isWriting = turn->state == TurnState::Writing;
  const auto known = m_shown.constFind(turn->id);
  if (known != m_shown.constEnd() && known->sourceChars == turn->text.size() && known->isWriting == isWriting) {
    return searchTurn(*known);
  }
  if (turn->role == Role::Assistant) return readSegment(*turn);
  ShownText shown{turn->text.size(), isWriting, {}};
  for (const PlainPiece& piece : plainPieces(turn->text))
    shown.pieces.push_back(turn->text.mid(piece.start, piece.length).split(u'\n'));
  searchTurn(*m_shown.insert(turn->id, std::move(shown)));
}

// One segment a call: a long answer has hundreds.
void ChatFinder::readSegment(const Turn& turn) {
  if (!m_segments) {
    m_reading = {turn.text.size(), turn.state == TurnState::Writing, {}};
    m_segments = std::make_unique<MarkdownSegments>();
    m_segments->append(turn.text);
    if (!m_reading.isWriting) m_segments->finish();
  } else if (m_reading.sourceChars != turn.text.size()) {  // it has grown since: refresh() comes
    m_segments.reset();
    return;
  }
  const std::vector<MarkdownSegment>& all = m_segments->segments();
  if (m_reading.pieces.size() < all.size()) m_reading.pieces.push_back(shownLines(all[m_reading.pieces.size()]));
  if (m_reading.pieces.size() < all.size()) return;
  m_segments.reset();
  searchTurn(*m_shown.insert(turn.id, std::exchange(m_reading, {})));
}

void ChatFinder::searchTurn(const ShownText& shown) {
  for (std::size_t piece = 0; piece < shown.pieces.size(); ++piece) {
    int nth = 0;
    for (const QString& line : shown.pieces[piece]) {
      eachHit(m_matcher, line, [&](qsizetype) { m_places.push_back({m_turn, static_cast<int>(piece), nth++}); });
    }
  }
  ++m_turn;
}

}  // namespace headroom::ui
