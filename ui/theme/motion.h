// Motion that Qt makes in the window by itself, and how it is switched off. We make none of our own.
#pragma once

#include <QObject>
#include <QProxyStyle>
#include <map>

namespace headroom::ui {

// A style as another one draws it, in which nothing moves or blinks by itself.
class StillStyle : public QProxyStyle {
  Q_OBJECT
 public:
  explicit StillStyle(QStyle* drawn);  // which it owns

  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* result) const override;
};

// What of the application is no style's: the cursor of text that is written blinks, lists, menus and tips roll and fade
// in, as the desktop has it. Reduced, none of that is, and each animation that a widget of Qt begins is at its end at
// once. GUI thread; one at a time, whose end puts back what it found.
class Motion : public QObject {
  Q_OBJECT
 public:
  ~Motion() override;
  void setReduced(bool isReduced);

 private:
  bool eventFilter(QObject* object, QEvent* event) override;

  bool m_isReduced = false;
  std::map<Qt::UIEffect, bool> m_effects;  // of the desktop, while they are switched off
};

}  // namespace headroom::ui
