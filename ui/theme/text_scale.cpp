#include "ui/theme/text_scale.h"

#include <QtGlobal>

namespace headroom::ui {
namespace {

int percentNow = 100;

}  // namespace

int textPercent() { return percentNow; }

void setTextPercent(int percent) { percentNow = percent; }

int scaledToText(int px) { return qRound(px * percentNow / 100.0); }

}  // namespace headroom::ui
