#include "ui/main_window/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/theme/roles.h"

namespace headroom::ui {
MessageBar::MessageBar(const Theme& theme, QWidget* parent)
    : QFrame(parent),
      m_theme(theme),
      m_icon(new QLabel(this)),
      m_text(new QLabel(this)),
      m_details(new QLabel(this)),
      m_more(new QLabel(this)),
      m_close(new QToolButton(this)) {
  setRole(this, "banner");
  setObjectName(QStringLiteral("messageBar"));
  setAccessibleName(tr("Message"));
  m_text->setObjectName(QStringLiteral("messageText"));
  m_details->setObjectName(QStringLiteral("messageDetails"));
  for (QLabel* label : {m_text, m_details}) {
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    label->setTextFormat(Qt::PlainText);
  }
  setRole(m_text, "sentence");
  setRole(m_more, "muted");
  m_close->setAutoRaise(true);
  m_close->setToolTip(tr("Dismiss this message"));
  m_close->setAccessibleName(tr("Dismiss message"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 8, 8, 8);
  row->setSpacing(kGrid);
  row->addWidget(m_icon);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(kGrid / 4);
  texts->addWidget(m_text);
  texts->addWidget(m_details);
  row->addLayout(texts, 1);
  row->addWidget(m_more);
  row->addWidget(m_close);
  connect(m_close, &QToolButton::clicked, this, [this] {
    m_messages.removeLast();
    refresh();
  });
  connect(&theme, &Theme::changed, this, &MessageBar::refresh);
  refresh();
}

void MessageBar::show(Tone tone, const QString& sentence, const QString& details) {
  m_messages.removeIf([&](const Message& message) { return message.sentence == sentence; });
  m_messages.append({tone, sentence, details});
  refresh();
}

void MessageBar::clear() {
  m_messages.clear();
  refresh();
}

QString MessageBar::sentence() const { return m_messages.isEmpty() ? QString() : m_messages.last().sentence; }

void MessageBar::refresh() {
  setVisible(!m_messages.isEmpty());
  if (m_messages.isEmpty()) return;
  const Message& message = m_messages.last();
  setTone(this, message.tone);
  m_icon->setPixmap(m_theme.icon(Theme::toneIconName(message.tone), m_theme.tokens().tone(message.tone).text)
                        .pixmap(QSize(20, 20), devicePixelRatioF()));
  m_close->setIcon(m_theme.icon(QStringLiteral("close"), m_theme.tokens().tone(message.tone).text));
  m_text->setText(message.sentence);
  m_details->setText(message.details);
  m_details->setVisible(!message.details.isEmpty());
  setAccessibleDescription(message.details.isEmpty() ? message.sentence
                                                     : message.sentence + QLatin1Char(' ') + message.details);
  m_more->setVisible(m_messages.size() > 1);
  m_more->setText(tr("%n more", nullptr, static_cast<int>(m_messages.size()) - 1));
}

}  // namespace headroom::ui
