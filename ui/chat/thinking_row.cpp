#include "ui/chat/thinking_row.h"

#include <QHBoxLayout>

#include "ui/format/format_bytes.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

ThinkingRow::ThinkingRow(const Theme& theme, QWidget* parent) : ChatRow(theme, CardPart::None, parent) {
  m_button = new QToolButton(this);
  m_button->setObjectName(QStringLiteral("thinkingFold"));
  m_button->setCheckable(true);
  m_button->setFocusPolicy(Qt::StrongFocus);
  m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  m_button->setIconSize({12, 12});
  setRole(m_button, "fold");
  connect(m_button, &QToolButton::clicked, this, &ThinkingRow::unfoldChosen);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 4);
  layout->addWidget(m_button);
  layout->addStretch();
}

void ThinkingRow::show(const Turn& turn, bool isUnfolded) {
  m_button->setText(thinkingText(turn));
  m_button->setAccessibleName(m_button->text());
  if (m_isUnfolded == isUnfolded) return;
  m_isUnfolded = isUnfolded;
  m_button->setChecked(isUnfolded);
  m_button->setIcon(theme().icon(isUnfolded ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"),
                                 theme().tokens().muted));
  m_button->setToolTip(isUnfolded ? tr("Hide what the model thought") : tr("Show what the model thought"));
  m_button->setAccessibleDescription(m_button->toolTip());
}

int ThinkingRow::heightFor(int) { return layout()->sizeHint().height(); }

QString thinkingText(const Turn& turn) {
  if (isThinking(turn)) {
    if (turn.thinkingMs < 1000) return QObject::tr("Thinking…");
    return QObject::tr("Thinking… %1").arg(formatDuration(turn.thinkingMs));
  }
  if (turn.thinkingMs == 0) return QObject::tr("Thought");
  if (turn.thinkingMs < 1000) return QObject::tr("Thought for less than a second");
  return QObject::tr("Thought for %1").arg(formatDuration(turn.thinkingMs));
}

}  // namespace headroom::ui
