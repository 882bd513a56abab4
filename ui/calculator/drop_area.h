// The quiet invitation to drop a model; also a button.
#pragma once

#include <QFrame>

#include "ui/theme/theme.h"

class QLabel;

namespace headroom::ui {

class DropArea : public QFrame {
  Q_OBJECT
 public:
  explicit DropArea(const Theme& theme, QWidget* parent = nullptr);

  void setProminent(bool prominent);  // large while no model is open
  void setActive(bool active);        // something droppable is over the window

 signals:
  void clicked();

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void paintIcon();

  const Theme& m_theme;
  QLabel* m_icon;
  QLabel* m_text;
  QLabel* m_hint;
  bool m_prominent = true;
};

}  // namespace headroom::ui
