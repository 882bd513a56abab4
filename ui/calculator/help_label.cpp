#include "ui/calculator/help_label.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QWhatsThis>

#include "ui/theme/roles.h"

namespace headroom::ui {

HelpLabel::HelpLabel(const QString& text, const QString& help, QWidget* field, QWidget* parent)
    : QWidget(parent), m_help(help), m_text(new QLabel(text, this)), m_button(new QToolButton(this)) {
  m_text->setBuddy(field);
  m_button->setText(QStringLiteral("?"));
  m_button->setObjectName(QStringLiteral("help"));
  m_button->setFocusPolicy(Qt::NoFocus);
  m_button->setAccessibleName(tr("What is this: %1").arg(QString(text).remove(QLatin1Char('&'))));
  m_button->setToolTip(help);
  setRole(m_button, "help");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(3);
  row->addWidget(m_text);
  row->addWidget(m_button);
  row->addStretch(1);
  field->setWhatsThis(help);
  if (field->accessibleDescription().isEmpty()) field->setAccessibleDescription(help);
  connect(m_button, &QToolButton::clicked, this, [this] {
    QWhatsThis::showText(m_button->mapToGlobal(QPoint(m_button->width(), m_button->height())), m_help, m_button);
  });
}

}  // namespace headroom::ui
