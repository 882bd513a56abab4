#include "ui/chat/trouble_banner.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "ui/theme/roles.h"

namespace headroom::ui {

TroubleBanner::TroubleBanner(const Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme) {
  setObjectName(QStringLiteral("troubleBanner"));
  setRole(this, "banner");
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(12, 10, 8, 10);
  layout->setHorizontalSpacing(10);
  layout->setVerticalSpacing(8);
  m_icon = new QLabel(this);
  m_text = new QLabel(this);
  m_text->setObjectName(QStringLiteral("troubleText"));
  m_text->setTextFormat(Qt::PlainText);
  m_text->setWordWrap(true);
  m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setRole(m_text, "sentence");
  m_close = new QToolButton(this);
  m_close->setToolTip(tr("Dismiss"));
  m_close->setAccessibleName(tr("Dismiss"));
  connect(m_close, &QToolButton::clicked, this, &TroubleBanner::dismissed);
  m_drop = addButton(tr("Drop the oldest turns"), tr("They stay on the screen; the model no longer reads them"),
                     "dropOldest");
  m_summarise = addButton(tr("Summarise them"),
                          tr("The model writes a summary that takes the place of the oldest turns"), "summarise");
  m_larger =
      addButton(tr("Plan a larger context…"), tr("Opens the calculator with a context that would do"), "largerContext");
  m_plain = addButton(tr("Use the plain form"), tr("Until another model is loaded"), "plainTemplate");
  m_loadAgain =
      addButton(tr("Load the model again"), tr("With the same plan; a device that is gone is left out"), "loadAgain");
  m_loadWithout = addButton(tr("Load it without this device"),
                            tr("On another GPU of this machine, or on the CPU where there is none"), "loadWithout");
  connect(m_drop, &QPushButton::clicked, this, &TroubleBanner::dropChosen);
  connect(m_summarise, &QPushButton::clicked, this, &TroubleBanner::summariseChosen);
  connect(m_larger, &QPushButton::clicked, this, &TroubleBanner::largerContextChosen);
  connect(m_plain, &QPushButton::clicked, this, &TroubleBanner::plainTemplateChosen);
  connect(m_loadAgain, &QPushButton::clicked, this, &TroubleBanner::loadAgainChosen);
  connect(m_loadWithout, &QPushButton::clicked, this, &TroubleBanner::loadWithoutChosen);
  // One below the other, like the calculator's fixes: the pane may be narrow.
  auto* buttons = new QVBoxLayout;
  buttons->setSpacing(6);
  for (QPushButton* button : {m_drop, m_summarise, m_larger, m_plain, m_loadAgain, m_loadWithout})
    buttons->addWidget(button);
  layout->addWidget(m_icon, 0, 0);
  layout->addWidget(m_text, 0, 1);
  layout->addWidget(m_close, 0, 2);
  layout->addLayout(buttons, 1, 1, 1, 2);
  layout->setColumnStretch(1, 1);
  connect(&theme, &Theme::changed, this, &TroubleBanner::paintIcons);
  hide();
}

QPushButton* TroubleBanner::addButton(const QString& text, const QString& tip, const char* name) {
  auto* button = new QPushButton(text, this);
  button->setToolTip(tip);
  button->setObjectName(QLatin1String(name));
  button->setAutoDefault(true);
  setRole(button, "fix");
  return button;
}

void TroubleBanner::paintIcons() {
  m_icon->setPixmap(m_theme.icon(Theme::toneIconName(m_tone), m_theme.tokens().tone(m_tone).text)
                        .pixmap(QSize(18, 18), devicePixelRatioF()));
  m_close->setIcon(m_theme.icon(QStringLiteral("close")));
}

void TroubleBanner::show(const Trouble& trouble) {
  using Kind = Trouble::Kind;
  setVisible(trouble.kind != Kind::None);
  if (trouble.kind == Kind::None) return;
  m_tone = trouble.kind == Kind::Failed || trouble.kind == Kind::DeviceLost ? Tone::Bad : Tone::Warning;
  setTone(this, m_tone);
  paintIcons();
  m_text->setText(trouble.text);
  setAccessibleName(trouble.text);
  const bool canCut = trouble.kind == Kind::ContextFull || trouble.kind == Kind::PromptTooLong;
  m_drop->setVisible(canCut);
  m_summarise->setVisible(canCut);
  m_larger->setVisible(canCut || trouble.kind == Kind::AloneTooLong);
  m_plain->setVisible(trouble.kind == Kind::Template);
  m_loadAgain->setVisible(trouble.kind == Kind::DeviceLost);
  m_loadWithout->setVisible(!trouble.deviceId.isEmpty());
}

}  // namespace headroom::ui
