// Finds a text in the messages of a conversation, a few milliseconds at a time. Nothing is laid out for it.
#pragma once

#include <QHash>
#include <QObject>
#include <QStringList>
#include <QStringMatcher>
#include <QTimer>
#include <compare>
#include <memory>
#include <vector>

#include "ui/chat/chat_tree.h"
#include "ui/chat/markdown_segments.h"

namespace headroom::ui {

// The user's text goes into rows of this many characters at most, which end at a line break where there is one.
struct PlainPiece {
  qsizetype start = 0, length = 0;
};
std::vector<PlainPiece> plainPieces(const QString& text);

// One hit. A piece is what one row of the chat shows: a segment of an answer, or a PlainPiece of the user's text.
struct FoundPlace {
  int turn = 0;   // in the path
  int piece = 0;  // of the turn
  int nth = 0;    // hit of the piece
  auto operator<=>(const FoundPlace&) const = default;
};

// GUI thread. Searches what the turns of the path show, without their Markdown signs; case does not matter.
class ChatFinder : public QObject {
  Q_OBJECT
 public:
  explicit ChatFinder(QObject* parent = nullptr);
  ~ChatFinder() override;

  // The longest that one pass takes, but for the one segment of some thousand characters that it may still be in.
  static constexpr qint64 kPassMs = 8;

  void showTree(const ChatTree* tree);  // null: none. It lives until another one is shown; what was found is gone
  void find(const QString& text);       // from the first turn on; the first pass is made at once. Empty: nothing
  void refresh() { find(m_text); }      // after turns were added or changed
  const QString& text() const { return m_text; }
  const std::vector<FoundPlace>& places() const { return m_places; }  // in the order of the conversation
  bool isSearching() const { return m_more.isActive(); }
  QString turnId(const FoundPlace& place) const { return m_path.value(place.turn); }

 signals:
  void changed();  // there are more places, or the search has ended

 private:
  struct ShownText {
    qsizetype sourceChars = 0;
    bool isWriting = false;
    std::vector<QStringList> pieces;  // the lines of each
  };

  void searchOn();
  void step();
  void readSegment(const Turn& turn);
  void searchTurn(const ShownText& shown);

  const ChatTree* m_tree = nullptr;
  QString m_text;
  QStringMatcher m_matcher;
  QStringList m_path;
  std::vector<FoundPlace> m_places;
  QHash<QString, ShownText> m_shown;  // by turn: reading the Markdown takes longer than searching
  // The turn that is read now.
  int m_turn = 0;
  std::unique_ptr<MarkdownSegments> m_segments;
  ShownText m_reading;
  QTimer m_more;
};

}  // namespace headroom::ui
