// Sentences that the user must not miss, without a dialog in the way: one line of the window, dismissed by hand, kept
// in order.
#pragma once

#include <QFrame>
#include <QList>

#include "ui/theme/theme.h"

class QLabel;
class QToolButton;

namespace headroom::ui {

class MessageBar : public QFrame {
  Q_OBJECT
 public:
  explicit MessageBar(const Theme& theme, QWidget* parent = nullptr);

  // Newest first; the ones before come back when it is closed. The same sentence twice is shown once. `details`: what
  // only who wants to know more reads, below the sentence.
  void show(Tone tone, const QString& sentence, const QString& details = {});
  void clear();
  QString sentence() const;  // the one that is seen; empty when hidden
  int count() const { return static_cast<int>(m_messages.size()); }

  struct Message {
    Tone tone;
    QString sentence, details;
  };
  const QList<Message>& messages() const { return m_messages; }  // newest last

 private:
  void refresh();

  const Theme& m_theme;
  QList<Message> m_messages;
  QLabel* m_icon;
  QLabel* m_text;
  QLabel* m_details;
  QLabel* m_more;
  QToolButton* m_close;
};

}  // namespace headroom::ui
