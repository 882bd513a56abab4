#include "ui/library/listed_model_row.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>

#include "ui/theme/elided_label.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

ListedModelRow::ListedModelRow(QWidget* parent)
    : QFrame(parent),
      m_name(new ElidedLabel("heading", Qt::AlignLeft | Qt::AlignVCenter, this)),
      m_note(new QLabel(this)),
      m_fit(new QLabel(this)),
      m_button(new QPushButton(this)) {
  setRole(this, "card");
  setRole(m_note, "muted");
  m_button->setObjectName(QStringLiteral("fetch"));
  m_fit->setObjectName(QStringLiteral("fit"));
  for (QLabel* label : {m_note, m_fit}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
  }
  m_fit->hide();
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(12, 8, 12, 8);
  layout->setVerticalSpacing(2);
  layout->setHorizontalSpacing(12);
  layout->addWidget(m_name, 0, 0);
  layout->addWidget(m_note, 1, 0);
  layout->addWidget(m_fit, 2, 0);
  layout->addWidget(m_button, 0, 1, 3, 1, Qt::AlignVCenter);
  layout->setColumnStretch(0, 1);
  connect(m_button, &QPushButton::clicked, this, &ListedModelRow::wanted);
}

void ListedModelRow::setTexts(const QString& name, const QString& note) {
  m_name->setText(name);
  m_note->setText(note);
  describe();
}

void ListedModelRow::setFit(const QString& text, Tone tone) {
  m_fit->setText(text);
  m_fit->setVisible(!text.isEmpty());
  setTone(m_fit, tone);
  describe();
}

void ListedModelRow::setAction(const QString& text, bool isEnabled) {
  m_button->setText(text);
  m_button->setEnabled(isEnabled);
  describe();
}

// A screen reader hears of the button alone, so its name says what it is of.
void ListedModelRow::describe() {
  m_button->setAccessibleName(QStringLiteral("%1: %2").arg(m_button->text(), m_name->text()));
  m_button->setAccessibleDescription(m_fit->text().isEmpty() ? m_note->text()
                                                             : m_note->text() + QStringLiteral(". ") + m_fit->text());
}

}  // namespace headroom::ui
