// Keeps a text that changes every second from laying out the window every second.
#pragma once

#include <QWidget>

namespace headroom::ui {

// Holds one widget, as large as itself, and is hidden with it. A label asks for a new layout of all that it stands in
// whenever its text changes; here that request ends, unless the widget needs another height, more width, or much less.
class LayoutGuard : public QWidget {
  Q_OBJECT
 public:
  explicit LayoutGuard(QWidget* held, QWidget* parent = nullptr);  // takes ownership

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  bool hasHeightForWidth() const override;
  int heightForWidth(int width) const override;

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* object, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QSize needed() const;
  void askWhereNeeded();

  QWidget* m_held;
  QSize m_asked;  // what was needed when the layout was last asked
};

}  // namespace headroom::ui
