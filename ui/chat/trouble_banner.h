// What the user should decide on, with a button for each way out.
#pragma once

#include <QFrame>

#include "ui/chat/chat_stage.h"
#include "ui/theme/theme.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace headroom::ui {

class TroubleBanner : public QFrame {
  Q_OBJECT
 public:
  explicit TroubleBanner(const Theme& theme, QWidget* parent = nullptr);
  void show(const Trouble& trouble);

 signals:
  void dropChosen();
  void summariseChosen();
  void largerContextChosen();
  void plainTemplateChosen();
  void loadAgainChosen();
  void loadWithoutChosen();
  void dismissed();

 private:
  void paintIcons();
  QPushButton* addButton(const QString& text, const QString& tip, const char* name);

  const Theme& m_theme;
  Tone m_tone = Tone::Warning;
  QLabel* m_icon;
  QLabel* m_text;
  QToolButton* m_close;
  QPushButton *m_drop, *m_summarise, *m_larger, *m_plain, *m_loadAgain, *m_loadWithout;
};

}  // namespace headroom::ui
