#include "ui/settings/privacy_page.h"

#include <QDesktopServices>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/settings/page_parts.h"
#include "ui/settings/settings_model.h"

namespace headroom::ui {

PrivacyPage::PrivacyPage(SettingsModel& settings, const QString& dataFolder, QWidget* parent) : QWidget(parent) {
  QVBoxLayout* layout = layOutPage(this);
  const auto addButton = [this, layout](const QString& text, const char* name) {
    auto* button = new QPushButton(text, this);
    button->setObjectName(QLatin1StringView(name));
    button->setAutoDefault(false);
    layout->addWidget(button, 0, Qt::AlignLeft);
    return button;
  };
  addHeading(layout, tr("What leaves this machine"));
  addNote(layout,
          tr("Nothing, unless you ask for it. Models run here, and conversations stay here. Headroom sends no "
             "reports and looks for no updates; only what you look for to download, and the download, goes out."));
  addHeading(layout, tr("What is kept here"));
  addNote(layout, tr("Conversations, settings, measured speeds and the checks of graphics cards are kept in %1")
                      .arg(QDir::toNativeSeparators(dataFolder)))
      ->setObjectName(QStringLiteral("dataFolder"));
  QPushButton* folder = addButton(tr("&Show this folder"), "showDataFolder");
  connect(folder, &QPushButton::clicked, this,
          [dataFolder] { QDesktopServices::openUrl(QUrl::fromLocalFile(dataFolder)); });
  addHeading(layout, tr("Forget"));
  QLabel* files = addNote(layout, {});
  QPushButton* forgetFiles = addButton(tr("Forget recent &files"), "forgetFiles");
  QLabel* options = addNote(layout, {});
  QPushButton* forgetOptions = addButton(tr("Forget the &options of models"), "forgetOptions");
  layout->addStretch();

  const auto show = [this, &settings, files, forgetFiles, options, forgetOptions] {
    const auto nFiles = static_cast<int>(settings.models().recentFiles.size());
    const auto nPlanned = static_cast<int>(settings.models().planned.size());
    files->setText(tr("Recent files: %1").arg(nFiles));
    forgetFiles->setEnabled(nFiles > 0);
    options->setText(tr("Models whose options you chose: %1").arg(nPlanned));
    forgetOptions->setEnabled(nPlanned > 0);
  };
  show();
  connect(&settings, &SettingsModel::modelsChanged, this, show);
  connect(forgetFiles, &QPushButton::clicked, this, [&settings] {
    ModelMemory models = settings.models();
    models.recentFiles.clear();
    settings.setModels(models);
  });
  connect(forgetOptions, &QPushButton::clicked, this, [&settings] {
    ModelMemory models = settings.models();
    models.planned.clear();
    settings.setModels(models);
  });
}

}  // namespace headroom::ui
