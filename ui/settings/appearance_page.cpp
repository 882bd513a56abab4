#include "ui/settings/appearance_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QVBoxLayout>

#include "ui/settings/page_parts.h"
#include "ui/settings/settings_model.h"

namespace headroom::ui {

AppearancePage::AppearancePage(SettingsModel& settings, QWidget* parent) : QWidget(parent) {
  QVBoxLayout* layout = layOutPage(this);
  addHeading(layout, tr("Colours"));
  auto* form = new QFormLayout;
  auto* theme = new QComboBox(this);
  theme->setObjectName(QStringLiteral("themeChoice"));
  theme->addItem(tr("As the system"), static_cast<int>(ThemeChoice::System));
  theme->addItem(tr("Light"), static_cast<int>(ThemeChoice::Light));
  theme->addItem(tr("Dark"), static_cast<int>(ThemeChoice::Dark));
  form->addRow(tr("&Theme"), theme);
  layout->addLayout(form);
  auto* contrast = new QCheckBox(tr("High &contrast"), this);
  contrast->setObjectName(QStringLiteral("highContrast"));
  layout->addWidget(contrast);
  addNote(layout, tr("Text and borders stand out as far as they can, in either theme."));
  addHeading(layout, tr("Text"));
  auto* textForm = new QFormLayout;
  auto* size = new QComboBox(this);
  size->setObjectName(QStringLiteral("textSize"));
  for (const int percent : kTextPercents) size->addItem(tr("%1 %").arg(percent), percent);
  textForm->addRow(tr("&Size of text"), size);
  layout->addLayout(textForm);
  addNote(layout, tr("Of the whole window. Ctrl++ and Ctrl+- change it anywhere, Ctrl+0 is 100 %."));
  addHeading(layout, tr("Motion"));
  auto* still = new QCheckBox(tr("&Reduce motion"), this);
  still->setObjectName(QStringLiteral("reduceMotion"));
  layout->addWidget(still);
  addNote(layout, tr("The text cursor does not blink; panes and menus come and go at once."));
  layout->addStretch();

  const auto show = [&settings, theme, contrast, size, still] {
    const AppearanceSettings& appearance = settings.appearance();
    theme->setCurrentIndex(theme->findData(static_cast<int>(appearance.theme)));
    contrast->setChecked(appearance.highContrast);
    size->setCurrentIndex(size->findData(appearance.textPercent));
    still->setChecked(appearance.reduceMotion);
  };
  show();
  connect(&settings, &SettingsModel::appearanceChanged, this, show);
  connect(theme, &QComboBox::activated, this, [&settings, theme] {
    AppearanceSettings appearance = settings.appearance();
    appearance.theme = static_cast<ThemeChoice>(theme->currentData().toInt());
    settings.setAppearance(appearance);
  });
  connect(contrast, &QCheckBox::toggled, this, [&settings](bool on) {
    AppearanceSettings appearance = settings.appearance();
    appearance.highContrast = on;
    settings.setAppearance(appearance);
  });
  connect(still, &QCheckBox::toggled, this, [&settings](bool on) {
    AppearanceSettings appearance = settings.appearance();
    appearance.reduceMotion = on;
    settings.setAppearance(appearance);
  });
  connect(size, &QComboBox::activated, this, [&settings, size] {
    AppearanceSettings appearance = settings.appearance();
    appearance.textPercent = size->currentData().toInt();
    settings.setAppearance(appearance);
  });
}

}  // namespace headroom::ui
