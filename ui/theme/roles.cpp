#include "ui/theme/roles.h"

#include <QStyle>

namespace headroom::ui {
namespace {

void restyle(QWidget* widget) {
  widget->style()->unpolish(widget);
  widget->style()->polish(widget);
  widget->update();
}

}  // namespace

void setRole(QWidget* widget, const char* role) {
  if (widget->property("role").toString() == QLatin1StringView(role)) return;
  widget->setProperty("role", role);
  restyle(widget);
}

void setState(QWidget* widget, const char* state, bool on) {
  if (widget->property(state).toBool() == on) return;
  widget->setProperty(state, on);
  restyle(widget);
}

void setTone(QWidget* widget, Tone tone) {
  if (widget->property("tone").toString() == QLatin1String(toneName(tone))) return;
  widget->setProperty("tone", toneName(tone));
  restyle(widget);
  for (QWidget* child : widget->findChildren<QWidget*>()) restyle(child);
}

const char* toneName(Tone tone) {
  switch (tone) {
    case Tone::Good: return "good";
    case Tone::Warning: return "warning";
    case Tone::Bad: return "bad";
    case Tone::Neutral: break;
  }
  return "neutral";
}

}  // namespace headroom::ui
