// The bar that finds a text in the open conversation: how many hits there are, which one is looked at, and the way from
// one to the next.
#pragma once

#include <QFrame>
#include <optional>

#include "ui/chat/chat_finder.h"
#include "ui/keys/view_keys.h"
#include "ui/theme/theme.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace headroom::ui {

class ChatView;

class FindBar : public QFrame {
  Q_OBJECT
 public:
  // Hidden until it is opened. Theme and view outlive it.
  FindBar(const Theme& theme, ChatView& view, QWidget* parent = nullptr);

  void showTree(const ChatTree& tree);    // that the view shows; what was found in the one before is gone
  void open();                            // with what was searched last
  void openAtFirst(const QString& text);  // and goes to the first hit of the conversation
  void close();
  void refresh();  // turns were added or changed; the hit that is looked at stays
  bool isOpen() const { return !isHidden(); }

  struct Kept {
    bool isOpen = false;
    QString text;
    std::optional<FoundPlace> hit;  // that is looked at
  };
  // For a bar over a view of the same tree that takes this one's place.
  Kept kept() const;
  void takeOver(const Kept& kept);

 signals:
  void closed();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QToolButton* addButton(const char* icon, const char* name, const QString& text, ViewKey key);
  void find(int fromTurn);
  void showFound();
  void step(int by);
  void goTo(std::size_t index, bool scrolls);
  void showCount();

  const Theme& m_theme;
  ChatView& m_view;
  ChatFinder m_finder;
  QLineEdit* m_field;
  QLabel* m_count;
  QToolButton *m_previous, *m_next;
  int m_current = -1;  // among the places; -1: none yet
  // The first hit from here on becomes the current one as soon as it is found; absent: it was found.
  std::optional<FoundPlace> m_sought;
  bool m_scrolls = false;  // to that hit
  QTimer m_refresh;        // text that arrives is searched now and then
};

}  // namespace headroom::ui
