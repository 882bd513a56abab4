#include "ui/settings/general_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QVBoxLayout>

#include "ui/settings/page_parts.h"
#include "ui/settings/settings_model.h"

namespace headroom::ui {

GeneralPage::GeneralPage(SettingsModel& settings, QWidget* parent) : QWidget(parent) {
  QVBoxLayout* layout = layOutPage(this);
  addHeading(layout, tr("Language"));
  auto* languageForm = new QFormLayout;
  auto* language = new QComboBox(this);
  language->setObjectName(QStringLiteral("languageChoice"));
  language->addItem(tr("As the system"), static_cast<int>(LanguageChoice::System));
  // Each in its own language, so that who reads no other finds it.
  language->addItem(QStringLiteral("English"), static_cast<int>(LanguageChoice::English));
  language->addItem(QStringLiteral("Deutsch"), static_cast<int>(LanguageChoice::German));
  languageForm->addRow(tr("Of the &window"), language);
  layout->addLayout(languageForm);
  addHeading(layout, tr("At a start"));
  auto* last = new QCheckBox(tr("Load the model that was loaded &last"), this);
  last->setObjectName(QStringLiteral("loadsLast"));
  layout->addWidget(last);
  addNote(layout, tr("With the options that it was loaded with. Without it, Headroom begins with its starter model."));
  addHeading(layout, tr("Writing"));
  auto* form = new QFormLayout;
  auto* keys = new QComboBox(this);
  keys->setObjectName(QStringLiteral("enterSends"));
  keys->addItem(tr("Enter sends, Shift+Enter begins a new line"), true);
  keys->addItem(tr("Ctrl+Enter sends, Enter begins a new line"), false);
  form->addRow(tr("A &message"), keys);
  layout->addLayout(form);
  addHeading(layout, tr("Conversations"));
  auto* titles = new QCheckBox(tr("Let the loaded model write their &titles"), this);
  titles->setObjectName(QStringLiteral("modelTitles"));
  layout->addWidget(titles);
  addNote(layout, tr("From what was said, while it has nothing to answer. Without it, a conversation is called by its "
                     "first message. One that you have named keeps its name."));
  layout->addStretch();

  const auto show = [&settings, language, last, keys, titles] {
    language->setCurrentIndex(language->findData(static_cast<int>(settings.general().language)));
    last->setChecked(settings.general().loadsLast);
    keys->setCurrentIndex(keys->findData(settings.general().enterSends));
    titles->setChecked(settings.general().modelTitles);
  };
  show();
  connect(&settings, &SettingsModel::generalChanged, this, show);
  connect(language, &QComboBox::activated, this, [&settings, language] {
    GeneralSettings general = settings.general();
    general.language = static_cast<LanguageChoice>(language->currentData().toInt());
    settings.setGeneral(general);
  });
  connect(last, &QCheckBox::toggled, this, [&settings](bool on) {
    GeneralSettings general = settings.general();
    general.loadsLast = on;
    settings.setGeneral(general);
  });
  connect(titles, &QCheckBox::toggled, this, [&settings](bool on) {
    GeneralSettings general = settings.general();
    general.modelTitles = on;
    settings.setGeneral(general);
  });
  connect(keys, &QComboBox::activated, this, [&settings, keys] {
    GeneralSettings general = settings.general();
    general.enterSends = keys->currentData().toBool();
    settings.setGeneral(general);
  });
}

}  // namespace headroom::ui
