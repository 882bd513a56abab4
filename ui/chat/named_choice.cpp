#include "ui/chat/named_choice.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "ui/theme/roles.h"

namespace headroom::ui {

NamedChoice::NamedChoice(Words words, QStringList builtIn, QWidget* parent)
    : QWidget(parent), m_words(std::move(words)), m_builtIn(std::move(builtIn)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  m_combo = new QComboBox(this);
  m_combo->setObjectName(QLatin1StringView(m_words.objectName));
  m_combo->setAccessibleName(m_words.name);
  m_combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  const auto addButton = [this](const QString& text, const char* name, const QString& tip) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setObjectName(QLatin1StringView(name));
    button->setToolTip(tip);
    setRole(button, "chip");
    return button;
  };
  QToolButton* save = addButton(tr("Save…"), "saveNamed", m_words.saveTip);
  m_remove = addButton(tr("Delete"), "removeNamed", m_words.removeTip);
  layout->addWidget(m_combo, 1);
  layout->addWidget(save);
  layout->addWidget(m_remove);
  connect(m_combo, &QComboBox::activated, this, [this](int index) {
    if (index < m_builtIn.size() + m_own.size()) emit chosen(index);
  });
  connect(save, &QToolButton::clicked, this, &NamedChoice::save);
  connect(m_remove, &QToolButton::clicked, this,
          [this] { emit removed(m_combo->currentIndex() - static_cast<int>(m_builtIn.size())); });
}

void NamedChoice::show(const QStringList& own, int current) {
  m_own = own;
  const QSignalBlocker blocker(m_combo);
  m_combo->clear();
  m_combo->addItems(m_builtIn + m_own);
  if (current < 0) {
    m_combo->addItem(m_words.other);
    current = m_combo->count() - 1;
  }
  m_combo->setCurrentIndex(current);
  m_remove->setVisible(current >= m_builtIn.size() && current < m_builtIn.size() + m_own.size());
}

void NamedChoice::save() {
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(m_words.saveTitle);
  dialog->setLabelText(tr("Name"));
  connect(dialog, &QInputDialog::textValueChanged, this, [this, dialog](const QString& text) {
    const QString name = text.trimmed();
    dialog->setLabelText(isTaken(name)          ? tr("Name (that one is built in)")
                         : m_own.contains(name) ? tr("Name (replaces yours of this name)")
                                                : tr("Name"));
    if (auto* buttons = dialog->findChild<QDialogButtonBox*>())
      buttons->button(QDialogButtonBox::Ok)->setDisabled(name.isEmpty() || isTaken(name));
  });
  connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& text) {
    const QString name = text.trimmed();
    if (!name.isEmpty() && !isTaken(name)) emit saved(name);
  });
  dialog->open();
}

// Two rows of one name could not be told apart.
bool NamedChoice::isTaken(const QString& name) const {
  return std::ranges::any_of(m_builtIn + QStringList(m_words.other),
                             [&name](const QString& other) { return other.compare(name, Qt::CaseInsensitive) == 0; });
}

}  // namespace headroom::ui
