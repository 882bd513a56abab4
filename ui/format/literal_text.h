// Names from outside as the text of a button or a menu, where an ampersand marks the letter for Alt.
#pragma once

#include <QString>

namespace headroom::ui {

inline QString literalText(QString text) { return text.replace(QLatin1Char('&'), QLatin1String("&&")); }

}  // namespace headroom::ui
