#include "ui/main_window/model_button.h"

#include <QDir>
#include <QFileInfo>
#include <QMenu>

#include "ui/format/literal_text.h"
#include "ui/theme/roles.h"

namespace headroom::ui {
namespace {

constexpr int kNamePx = 260;

}  // namespace

ModelButton::ModelButton(ModelController& models, QWidget* parent)
    : QToolButton(parent), m_models(models), m_menu(new QMenu(this)) {
  setObjectName(QStringLiteral("modelButton"));
  setRole(this, "modelName");
  setPopupMode(QToolButton::InstantPopup);
  setMenu(m_menu);
  m_menu->setObjectName(QStringLiteral("modelMenu"));
  m_menu->setToolTipsVisible(true);
  connect(m_menu, &QMenu::aboutToShow, this, &ModelButton::fillMenu);
  connect(&models, &ModelController::openModelChanged, this, &ModelButton::refresh);
  connect(&models, &ModelController::closed, this, &ModelButton::refresh);
  refresh();
}

void ModelButton::addToMenu(QAction* action) { m_more << action; }

void ModelButton::refresh() {
  const auto& model = m_models.calculator().model();
  const QString name = model ? QString::fromStdString(model->name) : tr("Choose a model");
  const QString shown = fontMetrics().elidedText(name, Qt::ElideRight, kNamePx) + QStringLiteral(" \u25be");
  if (text() != literalText(shown)) setText(literalText(shown));
  setToolTip(model ? QDir::toNativeSeparators(m_models.path()) : tr("Recent models, and others"));
  setAccessibleName(tr("Model: %1").arg(name));
}

// What is chosen here is loaded, with the options that it had last: who wants to look at the plan first opens the file.
void ModelButton::fillMenu() {
  m_menu->clear();
  const LoadedModel* loaded = m_models.load().loaded();
  const auto add = [&](const QString& text, const QString& path, const std::function<void()>& choose) {
    QAction* action = m_menu->addAction(text, this, choose);
    action->setCheckable(true);
    action->setChecked(loaded != nullptr && loaded->path == path);
    action->setToolTip(QDir::toNativeSeparators(path));
  };
  for (const QString& path : m_models.memory().recentFiles)
    add(literalText(QFileInfo(path).completeBaseName()), path, [this, path] { m_models.open(path, AfterOpen::Load); });
  if (m_models.hasStarter()) {
    add(tr("The starter model"), m_models.starterPath(), [this] { m_models.openStarter(); });
  }
  m_menu->addSeparator();
  m_menu->addAction(tr("&Open another\u2026"), this, &ModelButton::openChosen);
  m_menu->addActions(m_more);
  QAction* close = m_menu->addAction(tr("&Close this model"), &m_models, &ModelController::close);
  close->setEnabled(!m_models.path().isEmpty());
}

}  // namespace headroom::ui
