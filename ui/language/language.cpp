#include "ui/language/language.h"

#include <QLocale>

namespace headroom::ui {

QStringList systemLanguages() { return QLocale::system().uiLanguages(); }

Language chosenLanguage(LanguageChoice choice, const QStringList& systemLanguages) {
  if (choice == LanguageChoice::English) return Language::English;
  if (choice == LanguageChoice::German) return Language::German;
  for (const QString& name : systemLanguages) {
    const QStringView language = QStringView(name).left(name.indexOf(QLatin1Char('-')));
    if (language == QLatin1StringView("de")) return Language::German;
    if (language == QLatin1StringView("en")) return Language::English;
  }
  return Language::English;
}

}  // namespace headroom::ui
