#include "ui/theme/motion.h"

#include <QAbstractAnimation>
#include <QApplication>
#include <QChildEvent>
#include <QPointer>
#include <QStyleHints>

namespace headroom::ui {
namespace {

void endNow(QObject* child) {
  auto* animation = qobject_cast<QAbstractAnimation*>(child);
  if (animation == nullptr) return;
  const int end = animation->totalDuration();
  end < 0 ? animation->stop() : animation->setCurrentTime(end);  // below 0 it goes on for ever
}

}  // namespace

StillStyle::StillStyle(QStyle* drawn) : QProxyStyle(drawn) {}

int StillStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                          QStyleHintReturn* result) const {
  const bool isMotion =
      hint == SH_Widget_Animation_Duration || hint == SH_Widget_Animate || hint == SH_BlinkCursorWhenTextSelected;
  return isMotion ? 0 : QProxyStyle::styleHint(hint, option, widget, result);
}

Motion::~Motion() { setReduced(false); }

void Motion::setReduced(bool isReduced) {
  if (isReduced == m_isReduced) return;
  m_isReduced = isReduced;
  if (isReduced) {
    for (const Qt::UIEffect effect :
         {Qt::UI_AnimateMenu, Qt::UI_FadeMenu, Qt::UI_AnimateCombo, Qt::UI_AnimateTooltip, Qt::UI_FadeTooltip}) {
      m_effects[effect] = QApplication::isEffectEnabled(effect);
      QApplication::setEffectEnabled(effect, false);
    }
    qApp->installEventFilter(this);
  } else {
    for (const auto& [effect, isOn] : m_effects) QApplication::setEffectEnabled(effect, isOn);
    qApp->removeEventFilter(this);
  }
  // Below 0 it is the desktop's again.
  QGuiApplication::styleHints()->setCursorFlashTime(isReduced ? 0 : -1);
}

bool Motion::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::ChildAdded && object->isWidgetType()) {
    // Later: what is added is not made yet, and has no kind.
    const QPointer<QObject> child = static_cast<QChildEvent*>(event)->child();
    QMetaObject::invokeMethod(
        this,
        [child] {
          if (child != nullptr) endNow(child);
        },
        Qt::QueuedConnection);
  }
  return QObject::eventFilter(object, event);
}

}  // namespace headroom::ui
