#include "ui/settings/models_page.h"

#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/library/hub_reference.h"
#include "ui/settings/page_parts.h"
#include "ui/settings/settings_model.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

ModelsPage::ModelsPage(SettingsModel& settings, QWidget* parent) : QWidget(parent) {
  QVBoxLayout* layout = layOutPage(this);
  addHeading(layout, tr("On this machine"));
  addNote(layout, tr("The library looks into your own folders, into what other programs have fetched, and into the "
                     "folder of downloads."));
  auto* folders = new QPushButton(tr("&Folders\u2026"), this);
  folders->setObjectName(QStringLiteral("modelFolders"));
  folders->setAutoDefault(false);
  connect(folders, &QPushButton::clicked, this, &ModelsPage::foldersWanted);
  layout->addWidget(folders, 0, Qt::AlignLeft);
  addHeading(layout, tr("Downloads"));
  auto* form = new QFormLayout;
  auto* mirror = new QLineEdit(this);
  mirror->setObjectName(QStringLiteral("hubAddress"));
  mirror->setPlaceholderText(QStringLiteral("https://huggingface.co"));
  form->addRow(tr("&Mirror"), mirror);
  layout->addLayout(form);
  QLabel* note = addNote(layout, {});
  note->setObjectName(QStringLiteral("hubNote"));
  layout->addStretch();

  const auto check = [mirror, note] {
    const bool isGood = isHubAddress(mirror->text());
    setTone(mirror, isGood ? Tone::Neutral : Tone::Bad);
    note->setText(isGood ? tr("Models are looked for at this address, where one is given, with the same names.")
                         : tr("This is no address of a server: one that begins with https:// was expected."));
  };
  const auto show = [&settings, mirror] {
    if (isHubAddress(mirror->text())) mirror->setText(settings.library().hubAddress);
  };
  mirror->setText(settings.library().hubAddress);
  check();
  connect(mirror, &QLineEdit::textChanged, this, check);
  connect(&settings, &SettingsModel::libraryChanged, this, show);
  connect(mirror, &QLineEdit::editingFinished, this, [&settings, mirror] {
    if (!isHubAddress(mirror->text())) return;
    LibrarySettings library = settings.library();
    library.hubAddress = mirror->text().trimmed();
    settings.setLibrary(library);
  });
}

}  // namespace headroom::ui
