#include "ui/language/text_language.h"

#include <QCoreApplication>

#include "base/check.h"
#include "ui/format/typed_number.h"

namespace headroom::ui {
namespace {

void install(QTranslator& translator, const QString& name) {
  CHECK(translator.load(name, QStringLiteral(":/headroom/translations")), "a translation is not in the program");
  QCoreApplication::installTranslator(&translator);
}

}  // namespace

TextLanguage::TextLanguage(Language language) : m_language(language) { set(language); }

TextLanguage::~TextLanguage() {
  QCoreApplication::removeTranslator(&m_qt);
  QCoreApplication::removeTranslator(&m_ours);
  setTextLanguage(Language::English);
}

void TextLanguage::set(Language language) {
  QCoreApplication::removeTranslator(&m_qt);
  QCoreApplication::removeTranslator(&m_ours);
  m_language = language;
  const bool isGerman = language == Language::German;
  setTextLanguage(language);
  // English has a file too, with the forms of what is counted: "1 file", "2 files".
  install(m_ours, isGerman ? QStringLiteral("headroom_de") : QStringLiteral("headroom_en"));
  if (isGerman) install(m_qt, QStringLiteral("qtbase_de"));
}

}  // namespace headroom::ui
