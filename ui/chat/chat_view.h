// The conversation as a scrolled column of rows. Only rows near what is seen have widgets; heights of the others are
// estimates until they come near, and what is seen does not move when an estimate is corrected.
#pragma once

#include <QAbstractScrollArea>
#include <QPointer>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "ui/chat/chat_finder.h"
#include "ui/chat/chat_rows.h"
#include "ui/chat/chat_selection.h"
#include "ui/chat/chat_tree.h"
#include "ui/chat/markdown_segments.h"
#include "ui/chat/text_rows.h"

namespace headroom::ui {

class ChatView : public QAbstractScrollArea {
  Q_OBJECT
 public:
  ChatView(const ChatTree& tree, const Theme& theme, QWidget* parent = nullptr);  // both outlive the view, or
  ~ChatView() override;

  // What the rows' buttons can do now.
  struct Actions {
    bool isBusy = false;     // nothing can be changed
    bool canAnswer = false;  // a model is there and nothing runs
    bool operator==(const Actions&) const = default;
  };
  void setActions(Actions actions);
  void showTree(const ChatTree& tree, Actions actions);  // the tree lives until another one is shown
  void showPath();  // the tree has another path; turns that are shown already keep their rows
  void appendText(const QString& turnId, const QString& text);      // the tree has it already
  void appendThinking(const QString& turnId, const QString& text);  // likewise
  void refreshThinking(const QString& turnId);                      // how long it took so far
  void refreshTurn(const QString& turnId);                          // anything but its texts has changed
  // Marks a text wherever it is shown, and one hit of a turn more than the others (empty id: none).
  void markFound(const QString& text, const QString& turnId, const FoundPlace& place);
  void scrollToFound();       // to that hit
  int firstSeenTurn() const;  // of the path
  // What is selected over several rows, as plain text in the order of the page; empty where it is within one row.
  QString selectedText();
  void scrollToEnd();
  // What is seen and what is unfolded: for a view of the same tree that takes this one's place.
  struct Place {
    bool followsEnd = true;
    std::size_t item = 0, row = 0;  // the first row that is seen, where it does not
    int offsetPx = 0;
    QStringList unfolded;  // turns whose thoughts are shown
  };
  Place place() const;
  void takeOver(const Place& place);
  bool isAtEnd() const { return m_followsEnd; }
  bool isLaidOut() const { return !m_more.isActive(); }  // no row that should be seen is still to be made
  int widgetCount() const;                               // rows that have a widget now

 signals:
  void editChosen(const QString& turnId);
  void removeChosen(const QString& turnId);
  void regenerateChosen(const QString& turnId);
  void answerChosen(const QString& turnId);
  void continueChosen(const QString& turnId);
  void attachmentChosen(const QString& turnId, qsizetype index);
  void versionChosen(const QString& turnId);
  void endLeft(bool left);  // the newest text is out of sight

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;  // a line beside thoughts
  void mousePressEvent(QMouseEvent* event) override;
  // What is done in the rows' texts.
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  enum class Kind : quint8 { Unsplit, Cut, Header, Thinking, Plain, Attachments, Prose, Code, Footer };
  struct Row {
    Kind kind = Kind::Unsplit;
    bool isThought = false;           // prose and code of what the model thought
    std::size_t segment = 0;          // of prose and code; of plain text the number of its piece
    qsizetype start = 0, length = 0;  // of plain text
    int top = 0, height = 0;
    bool measured = false;
    QPointer<ChatRow> widget;
  };
  struct Item {  // one turn
    QString id;
    bool isSplit = false, cut = false;
    std::unique_ptr<MarkdownSegments> segments;
    std::unique_ptr<MarkdownSegments> thought;  // null: it is folded in, or there is none
    bool isUnfolded = false;
    std::vector<Row> rows;
  };
  // What stays in place while heights change: a row, and how far its top is from the viewport's.
  struct Anchor {
    std::size_t item = 0, row = 0;
    int offset = 0;
  };

  void layoutRows();
  void computeTops();
  bool realizeNext();
  void realize(Item& item, Row& row);
  ChatRow* makeRow(Item& item, const Row& row);
  ChatRow* makeFooter(const Item& item);
  void split(Item& item);
  void splitPlain(Item& item, const QString& text);
  void addSegmentRows(Item& item, std::size_t first, bool isThought = false);
  static std::vector<Row>::iterator endOfSegments(Item& item, bool isThought);
  static const MarkdownSegment& segmentOf(const Item& item, const Row& row);
  int markRow(const Item& item, const Row& row);
  bool isFoundRow(const Item& item, const Row& row) const;
  void splitThought(Item& item);
  void dropThought(Item& item);
  void finishThought(Item& item);
  void unfold(const QString& turnId, bool isUnfolded);
  void showThinkingRow(const Item& item);
  // A row of text that has a widget.
  struct TextAt {
    TextRowKey key;
    TextRow* row = nullptr;  // null: there is none
  };
  std::size_t indexOf(const Item& item) const { return static_cast<std::size_t>(&item - m_items.data()); }
  static TextRowKey keyOf(std::size_t item, const Row& row) { return {item, !row.isThought, row.segment}; }
  void watch(std::size_t item, const Row& row);
  TextAt textRowOf(const QObject* object) const;
  TextAt nearestText(const QPoint& globalPos) const;
  bool pressText(const QObject* object, const QMouseEvent& event);
  bool releaseText(QObject* object, QEvent* event);
  bool dragTo(const QPoint& globalPos);
  void scrollAtEdge();
  void stopDragging();
  bool hasMouse(std::size_t item, const Row& row) const;
  bool pressKey(const QObject* object, const QKeyEvent& event);
  void showPart(TextRow& text, const TextRowKey& key);
  void select(const ChatSelection& selection, const TextRow* except = nullptr);
  void endSelection(const TextRow* except);
  void endSelectionFrom(std::size_t item);
  void showSelectionMenu(const QPoint& globalPos);
  QString textOf(Item& item, const Row& row, const ChatSelection::Part& part);
  QString textBefore(const Item& item, const Row& row) const;
  int estimate(const Item& item, const Row& row) const;
  void placeWidgets();
  void dropWidget(Row& row);
  void dropAllWidgets();
  void rememberAnchor();
  void applyAnchor();
  int columnWidth() const;
  int columnLeft() const;
  int widthOf(const Row& row) const;
  bool isNearEnd() const;
  Item* findItem(const QString& id);

  const ChatTree* m_tree;  // never null
  const Theme& m_theme;
  std::vector<Item> m_items;
  Anchor m_anchor;
  int m_totalHeight = 0, m_measuredWidth = 0;
  Actions m_actions;
  QString m_found, m_foundTurn;  // what is marked, and the turn of the hit that is marked more
  FoundPlace m_foundPlace;
  bool m_followsEnd = true, m_isLayingOut = false;
  ChatSelection m_selection;           // over several rows; one row selects by itself
  std::optional<TextPlace> m_pressed;  // where a selection begins or began
  QPoint m_pointer;                    // on the screen, while m_isDragging
  bool m_isDragging = false;           // the left button is down since m_pressed
  bool m_isSelecting = false;          // changes of rows' selections, which they tell of, are our own doing
  QTimer m_edge;                       // scrolls while the pointer is above or below what is seen
  QTimer m_more;                       // goes on with rows that had no time in this pass
};

}  // namespace headroom::ui
