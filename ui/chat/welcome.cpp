#include "ui/chat/welcome.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/format/literal_text.h"
#include "ui/theme/roles.h"
#include "ui/theme/text_scale.h"
#include "ui/theme/wrapping_button.h"

namespace headroom::ui {

namespace {

constexpr int kColumnWidthPx = 460;

}  // namespace

Welcome::Welcome(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("welcome"));
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(12, 12, 12, 12);
  m_column = new QWidget(this);
  QWidget* column = m_column;
  column->setMaximumWidth(scaledToText(kColumnWidthPx));
  column->setMinimumWidth(200);
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(10);
  m_title = new QLabel(column);
  m_title->setTextFormat(Qt::PlainText);
  m_title->setWordWrap(true);
  m_title->setAlignment(Qt::AlignCenter);
  setRole(m_title, "title");
  m_note = new QLabel(column);
  m_note->setObjectName(QStringLiteral("modelNote"));
  m_note->setTextFormat(Qt::PlainText);
  m_note->setWordWrap(true);
  m_note->setAlignment(Qt::AlignCenter);
  setRole(m_note, "muted");
  m_questions = new QWidget(column);
  m_questionLayout = new QVBoxLayout(m_questions);
  m_questionLayout->setContentsMargins(0, 10, 0, 0);
  m_questionLayout->setSpacing(8);
  m_questions->hide();  // there are none yet
  layout->addWidget(m_title);
  layout->addWidget(m_note);
  layout->addWidget(m_questions);
  outer->addStretch(2);
  auto* middle = new QHBoxLayout;
  middle->addStretch(1);
  middle->addWidget(column, 100);
  middle->addStretch(1);
  outer->addLayout(middle);
  outer->addStretch(3);
}

void Welcome::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) m_column->setMaximumWidth(scaledToText(kColumnWidthPx));
  QWidget::changeEvent(event);
}

void Welcome::showModel(const QString& title, const QString& note, const QStringList& questions) {
  m_title->setText(title);
  m_note->setText(note);
  m_note->setVisible(!note.isEmpty());
  if (questions == m_shown) return;
  m_shown = questions;
  while (QLayoutItem* item = m_questionLayout->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  for (const QString& question : questions) {
    auto* button = new WrappingButton(literalText(question), m_questions);
    button->setObjectName(QStringLiteral("starterQuestion"));
    setRole(button, "fix");
    button->setAutoDefault(true);
    connect(button, &QPushButton::clicked, this, [this, question] { emit questionChosen(question); });
    m_questionLayout->addWidget(button);
  }
  m_questions->setVisible(!questions.isEmpty());
}

}  // namespace headroom::ui
