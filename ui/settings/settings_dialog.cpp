#include "ui/settings/settings_dialog.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QListWidget>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/settings/appearance_page.h"
#include "ui/settings/devices_page.h"
#include "ui/settings/general_page.h"
#include "ui/settings/models_page.h"
#include "ui/settings/privacy_page.h"
#include "ui/theme/kept_places.h"
#include "ui/theme/page_area.h"
#include "ui/theme/roles.h"
#include "ui/theme/text_scale.h"

namespace headroom::ui {
namespace {

constexpr int kNamesPx = 150;
constexpr QSize kSettingsSize{720, 480};

// Dialogs that are open above it stay.
void takeAllAway(QDialog& dialog) {
  delete dialog.layout();
  for (QWidget* widget : dialog.findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
    if (!widget->isWindow()) delete widget;
  }
}

}  // namespace

SettingsDialog::SettingsDialog(SettingsModel& settings, ModelController& models, const QString& dataFolder,
                               QWidget* parent)
    : QDialog(parent), m_settings(settings), m_models(models), m_dataFolder(dataFolder) {
  setObjectName(QStringLiteral("settingsDialog"));
  setAttribute(Qt::WA_DeleteOnClose);
  build();
  m_names->setCurrentRow(0);
  resizeToText(*this, kSettingsSize);
}

void SettingsDialog::writeAnew() {
  const int page = m_names->currentRow();
  const QString focused = focusWidget() != nullptr ? focusWidget()->objectName() : QString();
  const KeptPlaces places(*this);
  takeAllAway(*this);
  build();
  m_names->setCurrentRow(page);
  places.restoreIn(*this);
  if (auto* widget = focused.isEmpty() ? nullptr : findChild<QWidget*>(focused)) widget->setFocus();
}

void SettingsDialog::build() {
  setWindowTitle(tr("Settings"));
  auto* layout = new QVBoxLayout(this);
  auto* columns = new QHBoxLayout;
  columns->setSpacing(2 * kGrid);
  m_names = new QListWidget(this);
  m_names->setObjectName(QStringLiteral("settingsPages"));
  m_names->setAccessibleName(tr("Pages of settings"));
  m_names->setFixedWidth(scaledToText(kNamesPx));
  m_pages = new QStackedWidget(this);
  columns->addWidget(m_names);
  columns->addWidget(m_pages, 1);
  layout->addLayout(columns, 1);

  auto* devicesPage = new DevicesPage(m_models);
  connect(devicesPage, &DevicesPage::checkWanted, this, &SettingsDialog::gpuCheckWanted);
  addPage(tr("General"), new GeneralPage(m_settings));
  addPage(tr("Appearance"), new AppearancePage(m_settings));
  auto* modelsPage = new ModelsPage(m_settings);
  connect(modelsPage, &ModelsPage::foldersWanted, this, &SettingsDialog::modelFoldersWanted);
  addPage(tr("Models"), modelsPage);
  addPage(tr("Devices"), devicesPage);
  addPage(tr("Privacy"), new PrivacyPage(m_settings, m_dataFolder));
  // Behind the pages: Tab goes as one reads.
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(buttons);
  connect(m_names, &QListWidget::currentRowChanged, m_pages, &QStackedWidget::setCurrentIndex);
}

void SettingsDialog::addPage(const QString& name, QWidget* page) {
  setRole(page, "page");
  m_names->addItem(name);
  auto* area = new PageArea(page);
  area->setObjectName(QStringLiteral("settingsArea%1").arg(m_pages->count()));
  area->setFocusPolicy(Qt::NoFocus);  // it follows what has the keyboard
  m_pages->addWidget(area);
}

}  // namespace headroom::ui
