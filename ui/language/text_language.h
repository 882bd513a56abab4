// Puts all texts of the program into one language.
#pragma once

#include <QTranslator>

#include "ui/language/language.h"

namespace headroom::ui {

// The texts of the program and those of Qt (its buttons, its file dialog), and the form of numbers and dates in them
// (textLocale()). GUI thread; one at a time, which the QCoreApplication outlives. What is written already stays as it
// is: whoever shows texts writes them anew.
class TextLanguage {
 public:
  explicit TextLanguage(Language language = Language::English);
  ~TextLanguage();  // the texts are those of the sources again, and numbers English
  TextLanguage(const TextLanguage&) = delete;
  TextLanguage& operator=(const TextLanguage&) = delete;

  void set(Language language);
  Language language() const { return m_language; }

 private:
  Language m_language;
  QTranslator m_ours, m_qt;
};

}  // namespace headroom::ui
