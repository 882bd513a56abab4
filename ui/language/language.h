// The languages that the window speaks, and which of them the user gets.
#pragma once

#include <QStringList>

namespace headroom::ui {

enum class Language : quint8 { English, German };

enum class LanguageChoice : quint8 { System, English, German };

// Of the desktop, the best first.
QStringList systemLanguages();

// `systemLanguages` as QLocale::uiLanguages() lists them, the best first: "de-AT", "de", "en-GB". Of those that the
// window does not speak the next one counts; where it speaks none, English.
Language chosenLanguage(LanguageChoice choice, const QStringList& systemLanguages);

}  // namespace headroom::ui
