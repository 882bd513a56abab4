// The widgets that a conversation is made of, from top to bottom: each is one row of the chat view.
#pragma once

#include <QLabel>
#include <QPainterPath>
#include <QToolButton>
#include <QWidget>
#include <vector>

#include "ui/chat/conversation.h"
#include "ui/theme/theme.h"

class QHBoxLayout;

namespace headroom::ui {

// Where a row stands in the tinted card of a user's turn; assistant's rows are not on a card.
enum class CardPart : quint8 { None, Top, Middle, Bottom };

class ChatRow : public QWidget {
  Q_OBJECT
 public:
  ChatRow(const Theme& theme, CardPart part, QWidget* parent);
  virtual int heightFor(int width) = 0;
  // Marks this text wherever the row shows it, the hit `current` more than the others (-1: none), and tells how far
  // below the row's top that one is; -1 where it is not there.
  virtual int markFound(const QString& text, int current);

 protected:
  void paintEvent(QPaintEvent* event) override;
  int sidePadding() const;
  int bottomPadding() const;  // of a card's last row
  const Theme& theme() const { return m_theme; }

 private:
  const Theme& m_theme;
  CardPart m_part;
};

// Who speaks.
class HeaderRow : public ChatRow {
  Q_OBJECT
 public:
  HeaderRow(const Theme& theme, const Turn& turn, QWidget* parent);
  int heightFor(int width) override;
};

// A line across the chat: turns above are no longer sent; with their summary when there is one.
class CutRow : public ChatRow {
  Q_OBJECT
 public:
  CutRow(const Theme& theme, const QString& summary, QWidget* parent);
  int heightFor(int width) override;

 private:
  QLabel* m_label;
};

struct FooterFacts {
  QString copyText;
  int version = 0, nVersions = 1;
  bool isLast = false, isWriting = false;
  bool isBusy = false, canAnswer = false;  // as in ChatView::Actions
};

// What can be done with a turn, which version it is, how fast it came.
class FooterRow : public ChatRow {
  Q_OBJECT
 public:
  FooterRow(const Theme& theme, const Turn& turn, const FooterFacts& facts, QWidget* parent);
  int heightFor(int width) override;

 signals:
  void editChosen();
  void removeChosen();
  void regenerateChosen();
  void answerChosen();
  void continueChosen();
  void versionChosen(int step);  // -1 or 1

 private:
  QToolButton* addButton(const QString& text, const QString& tip, const char* name);
  // One that starts an answer.
  QToolButton* addAnswerButton(const FooterFacts& facts, const QString& text, const QString& tip, const char* name);
  void addMore(const FooterFacts& facts, bool isUser);
  void addVersions(const FooterFacts& facts);
  void addNote(const Turn& turn);

  QHBoxLayout* m_layout;
};

// Names and sizes of attached files; each opens its text.
class AttachmentsRow : public ChatRow {
  Q_OBJECT
 public:
  AttachmentsRow(const Theme& theme, const QVector<Attachment>& attachments, QWidget* parent);
  int heightFor(int width) override;

 signals:
  void openChosen(qsizetype index);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  int arrange(int width, bool moves);  // the height that it takes

  std::vector<QToolButton*> m_chips;
};

// A path with the two upper, the two lower, or no corners rounded.
QPainterPath roundedPart(const QRectF& rect, bool top, bool bottom, qreal radius);
// Copies, and says so on the button for a moment.
void copyAndTell(QToolButton* button, const QString& text);
QString turnStateText(TurnState state);  // "stopped by you"; empty when done
// "notes.txt (12.3 KiB)"; with what it takes of the context, where that is known: "notes.txt · 12,400 tokens".
QString attachmentText(const Attachment& attachment, quint32 tokens = 0);

}  // namespace headroom::ui
