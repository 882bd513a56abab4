#include "ui/message/message_bar.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/theme/roles.h"

namespace headroom::ui {

MessageBar::MessageBar(const Theme& theme, const char* name, QWidget* parent)
    : QFrame(parent),
      m_theme(theme),
      m_icon(new QLabel(this)),
      m_text(new QLabel(this)),
      m_details(new QLabel(this)),
      m_more(new QLabel(this)),
      m_close(new QToolButton(this)),
      m_ways(new QWidget(this)),
      m_buttons(new QVBoxLayout(m_ways)) {
  const QLatin1StringView prefix(name);
  setRole(this, "banner");
  setObjectName(prefix + QLatin1StringView("Bar"));
  setAccessibleName(tr("Message"));
  m_text->setObjectName(prefix + QLatin1StringView("Text"));
  m_details->setObjectName(prefix + QLatin1StringView("Details"));
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
  // Buttons stand one below the other, like the calculator's fixes: there may be little room beside each other.
  m_buttons->setContentsMargins(0, kGrid / 2, 0, 0);
  m_buttons->setSpacing(6);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(12, 8, 8, 8);
  grid->setHorizontalSpacing(kGrid);
  grid->setVerticalSpacing(kGrid / 4);
  grid->addWidget(m_icon, 0, 0);
  grid->addWidget(m_text, 0, 1);
  grid->addWidget(m_more, 0, 2);
  grid->addWidget(m_close, 0, 3);
  grid->addWidget(m_details, 1, 1, 1, 3);
  grid->addWidget(m_ways, 2, 1, 1, 3);
  grid->setColumnStretch(1, 1);
  connect(m_close, &QToolButton::clicked, this, [this] {
    m_messages.removeLast();
    refresh();
    emit dismissed();
  });
  connect(&theme, &Theme::changed, this, &MessageBar::paintIcons);
  refresh();
}

void MessageBar::add(const BarMessage& message) {
  const QString sentence = message.sentence.text();
  m_messages.removeIf([&](const BarMessage& before) { return before.sentence.text() == sentence; });
  m_messages.append(message);
  refresh();
}

void MessageBar::setOnly(const BarMessage& message) {
  m_messages = {message};
  refresh();
}

void MessageBar::clear() {
  m_messages.clear();
  refresh();
}

QString MessageBar::sentence() const { return m_messages.isEmpty() ? QString() : m_messages.last().sentence.text(); }

void MessageBar::refresh() {
  setVisible(!m_messages.isEmpty());
  if (m_messages.isEmpty()) return;
  const BarMessage& message = m_messages.last();
  setTone(this, message.tone);
  const QString sentence = message.sentence.text(), details = message.details.text();
  m_text->setText(sentence);
  m_details->setText(details);
  m_details->setVisible(!details.isEmpty());
  setAccessibleDescription(details.isEmpty() ? sentence : sentence + QLatin1Char(' ') + details);
  m_more->setVisible(m_messages.size() > 1);
  m_more->setText(tr("%n more", nullptr, static_cast<int>(m_messages.size()) - 1));
  showWaysOut(message.waysOut);
  paintIcons();
}

// The one that was just clicked may be among the buttons that go: it is deleted when its click is over.
void MessageBar::showWaysOut(const QList<WayOut>& waysOut) {
  for (QPushButton* button : m_ways->findChildren<QPushButton*>()) {
    button->hide();
    button->setParent(nullptr);
    button->deleteLater();
  }
  for (const WayOut& way : waysOut) {
    auto* button = new QPushButton(way.text, m_ways);
    button->setToolTip(way.tip);
    button->setObjectName(QLatin1StringView(way.name));
    button->setAutoDefault(true);
    setRole(button, "fix");
    connect(button, &QPushButton::clicked, this, [choose = way.choose] { choose(); });
    m_buttons->addWidget(button);
    button->show();  // at once: a layout would do it later
  }
  m_ways->setVisible(!waysOut.isEmpty());
}

void MessageBar::paintIcons() {
  if (m_messages.isEmpty()) return;
  const Tone tone = m_messages.last().tone;
  const QColor color = m_theme.tokens().tone(tone).text;
  m_icon->setPixmap(m_theme.icon(Theme::toneIconName(tone), color).pixmap(QSize(20, 20), devicePixelRatioF()));
  m_close->setIcon(m_theme.icon(QStringLiteral("close"), color));
}

}  // namespace headroom::ui
