// A page that scrolls up and down only, and is never narrower than what stands on it.
#pragma once

#include <QScrollArea>

namespace headroom::ui {

class PageArea : public QScrollArea {
  Q_OBJECT
 public:
  explicit PageArea(QWidget* page, QWidget* parent = nullptr);
  QSize minimumSizeHint() const override;

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  int m_pageWidth = 0;  // the least that the page needed when it asked last
};

}  // namespace headroom::ui
