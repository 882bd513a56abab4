#include "ui/chat/chat_rows.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QTimer>

#include "base/bytes.h"
#include "ui/chat/prefix_break.h"
#include "ui/format/format_bytes.h"
#include "ui/format/literal_text.h"
#include "ui/theme/elided_label.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

namespace {

constexpr int kCardPaddingPx = 14;
constexpr int kCardRadiusPx = 10;
constexpr int kChipGapPx = 6;
constexpr int kCopiedMs = 1500;

}  // namespace

QPainterPath roundedPart(const QRectF& rect, bool top, bool bottom, qreal radius) {
  QPainterPath path;
  path.setFillRule(Qt::WindingFill);
  path.addRoundedRect(rect, radius, radius);
  if (!top) path.addRect(rect.adjusted(0, 0, 0, -rect.height() / 2));
  if (!bottom) path.addRect(rect.adjusted(0, rect.height() / 2, 0, 0));
  return path.simplified();
}

void copyAndTell(QToolButton* button, const QString& text) {
  QGuiApplication::clipboard()->setText(text);
  const QString label = button->text();
  const QString copied = QObject::tr("Copied");
  if (label == copied) return;
  button->setText(copied);
  QTimer::singleShot(kCopiedMs, button, [button, label] { button->setText(label); });
}

ChatRow::ChatRow(const Theme& theme, CardPart part, QWidget* parent) : QWidget(parent), m_theme(theme), m_part(part) {}

int ChatRow::markFound(const QString&, int) { return -1; }
int ChatRow::sidePadding() const { return m_part == CardPart::None ? 0 : kCardPaddingPx; }
int ChatRow::bottomPadding() const { return m_part == CardPart::Bottom ? 6 : 0; }

void ChatRow::paintEvent(QPaintEvent*) {
  if (m_part == CardPart::None) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool top = m_part == CardPart::Top, bottom = m_part == CardPart::Bottom;
  painter.fillPath(roundedPart(rect(), top, bottom, kCardRadiusPx), m_theme.tokens().accentSurface);
}

HeaderRow::HeaderRow(const Theme& theme, const Turn& turn, QWidget* parent)
    : ChatRow(theme, turn.role == Role::User ? CardPart::Top : CardPart::None, parent) {
  const bool isUser = turn.role == Role::User;
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(sidePadding(), isUser ? 10 : 0, sidePadding(), 4);
  auto* name = new QLabel(isUser ? tr("You") : turn.modelName.isEmpty() ? tr("Assistant") : turn.modelName, this);
  name->setTextFormat(Qt::PlainText);
  setRole(name, "heading");
  layout->addWidget(name);
  auto* time = new QLabel(formatClock(turn.createdMs), this);
  setRole(time, "muted");
  layout->addWidget(time);
  layout->addStretch();
  setAccessibleName(isUser ? tr("Your message") : tr("Answer of %1").arg(turn.modelName));
}

int HeaderRow::heightFor(int) { return layout()->sizeHint().height(); }

CutRow::CutRow(const Theme& theme, const QString& summary, QWidget* parent) : ChatRow(theme, CardPart::None, parent) {
  m_label = new QLabel(this);
  m_label->setTextFormat(Qt::PlainText);
  m_label->setWordWrap(true);
  m_label->setAlignment(Qt::AlignCenter);
  m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  setRole(m_label, "muted");
  const QString line = tr("Turns above this line are no longer sent to the model.");
  m_label->setText(summary.isEmpty()
                       ? line
                       : line + QStringLiteral("\n") + tr("It reads this summary of them instead: %1").arg(summary));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 4, 0, 12);
  layout->setSpacing(8);
  auto* rule = new QFrame(this);
  setRole(rule, "line");
  layout->addWidget(rule);
  layout->addWidget(m_label);
}

int CutRow::heightFor(int width) { return m_label->heightForWidth(width) + 26; }

AttachmentsRow::AttachmentsRow(const Theme& theme, const QVector<Attachment>& attachments, QWidget* parent)
    : ChatRow(theme, CardPart::Middle, parent) {
  for (qsizetype i = 0; i < attachments.size(); ++i) {
    auto* chip = new QToolButton(this);
    chip->setObjectName(QStringLiteral("sentAttachment"));
    chip->setText(literalText(attachmentText(attachments[i])));
    chip->setToolTip(tr("Open what the model reads of %1").arg(attachments[i].name));
    chip->setAccessibleName(tr("Open %1").arg(attachmentText(attachments[i])));
    chip->setFocusPolicy(Qt::StrongFocus);
    setRole(chip, "chip");
    connect(chip, &QToolButton::clicked, this, [this, i] { emit openChosen(i); });
    m_chips.push_back(chip);
  }
}

// As many in a line as there is room for.
int AttachmentsRow::arrange(int width, bool moves) {
  const int right = width - sidePadding();
  int x = sidePadding(), y = kChipGapPx, lineHeight = 0;
  for (QToolButton* chip : m_chips) {
    const QSize size = chip->sizeHint().boundedTo(QSize(std::max(1, right - sidePadding()), chip->sizeHint().height()));
    if (x > sidePadding() && x + size.width() > right) {
      x = sidePadding();
      y += lineHeight + kChipGapPx;
      lineHeight = 0;
    }
    if (moves) chip->setGeometry(QRect(QPoint(x, y), size));
    x += size.width() + kChipGapPx;
    lineHeight = std::max(lineHeight, size.height());
  }
  return y + lineHeight;
}

int AttachmentsRow::heightFor(int width) { return arrange(width, false); }
void AttachmentsRow::resizeEvent(QResizeEvent*) { arrange(width(), true); }

FooterRow::FooterRow(const Theme& theme, const Turn& turn, const FooterFacts& facts, QWidget* parent)
    : ChatRow(theme, turn.role == Role::User ? CardPart::Bottom : CardPart::None, parent) {
  m_layout = new QHBoxLayout(this);
  const bool isUser = turn.role == Role::User;
  m_layout->setContentsMargins(std::max(0, sidePadding() - 7), 2, sidePadding(), isUser ? 6 : 14);
  m_layout->setSpacing(2);
  if (!facts.isWriting) {
    QToolButton* copy = addButton(tr("Copy"), tr("Copy this message as it was written"), "copyMessage");
    connect(copy, &QToolButton::clicked, this, [copy, text = facts.copyText] { copyAndTell(copy, text); });
  }
  if (isUser) {
    QToolButton* edit =
        addButton(tr("Edit"), tr("Change this message and send it again; this version stays"), "editMessage");
    edit->setDisabled(facts.isBusy);
    connect(edit, &QToolButton::clicked, this, &FooterRow::editChosen);
    if (facts.isLast) {
      QToolButton* again = addAnswerButton(facts, tr("Send again"), tr("Ask for an answer"), "sendAgain");
      connect(again, &QToolButton::clicked, this, &FooterRow::answerChosen);
    }
  } else if (!facts.isWriting) {
    QToolButton* again =
        addAnswerButton(facts, tr("Regenerate"), tr("Write another version of this answer"), "regenerate");
    connect(again, &QToolButton::clicked, this, &FooterRow::regenerateChosen);
    if (facts.isLast && canContinue(turn.state)) {
      QToolButton* more =
          addAnswerButton(facts, tr("Continue"), tr("Go on from where this answer ends"), "continueAnswer");
      connect(more, &QToolButton::clicked, this, &FooterRow::continueChosen);
    }
  }
  if (!facts.isWriting) addMore(facts, isUser);
  if (facts.nVersions > 1) addVersions(facts);
  if (!isUser) addNote(turn);
  m_layout->addStretch();
}

// What is seldom wanted.
void FooterRow::addMore(const FooterFacts& facts, bool isUser) {
  QToolButton* more = addButton(QStringLiteral("\u22ef"), tr("More"), "moreOfMessage");
  more->setAccessibleName(more->toolTip());
  more->setPopupMode(QToolButton::InstantPopup);
  more->setDisabled(facts.isBusy);
  auto* menu = new QMenu(more);
  if (!isUser) {
    menu->addAction(tr("&Edit this answer"), this, &FooterRow::editChosen)->setObjectName(QStringLiteral("editAnswer"));
  }
  menu->addAction(tr("&Delete\u2026"), this, &FooterRow::removeChosen)->setObjectName(QStringLiteral("deleteMessage"));
  more->setMenu(menu);
}

QToolButton* FooterRow::addButton(const QString& text, const QString& tip, const char* name) {
  auto* button = new QToolButton(this);
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(text);
  button->setObjectName(QLatin1String(name));
  button->setFocusPolicy(Qt::StrongFocus);
  setRole(button, "quiet");
  m_layout->addWidget(button);
  return button;
}

QToolButton* FooterRow::addAnswerButton(const FooterFacts& facts, const QString& text, const QString& tip,
                                        const char* name) {
  const bool lacksModel = !facts.canAnswer && !facts.isBusy;
  QToolButton* button = addButton(text, lacksModel ? tr("Load a model first") : tip, name);
  button->setEnabled(facts.canAnswer);
  return button;
}

void FooterRow::addVersions(const FooterFacts& facts) {
  QToolButton* back = addButton(QStringLiteral("‹"), tr("The version before"), "versionBefore");
  auto* label = new QLabel(QStringLiteral("%1/%2").arg(facts.version + 1).arg(facts.nVersions), this);
  label->setObjectName(QStringLiteral("versionLabel"));
  label->setAccessibleName(tr("Version %1 of %2").arg(facts.version + 1).arg(facts.nVersions));
  setRole(label, "muted");
  m_layout->addWidget(label);
  QToolButton* forth = addButton(QStringLiteral("›"), tr("The next version"), "versionAfter");
  back->setAccessibleName(back->toolTip());
  forth->setAccessibleName(forth->toolTip());
  back->setDisabled(facts.isBusy || facts.version == 0);
  forth->setDisabled(facts.isBusy || facts.version + 1 == facts.nVersions);
  connect(back, &QToolButton::clicked, this, [this] { emit versionChosen(-1); });
  connect(forth, &QToolButton::clicked, this, [this] { emit versionChosen(1); });
}

void FooterRow::addNote(const Turn& turn) {
  QStringList parts;
  if (const QString state = turnStateText(turn.state); !state.isEmpty()) parts.append(state);
  if (turn.generatedTokens > 0) {
    const auto n = static_cast<int>(turn.generatedTokens);
    parts.append(tr("%1 tokens", nullptr, n).arg(formatCount(turn.generatedTokens)));
  }
  // Before the speed, which the context gauge tells of the last answer too.
  const QString why = prefixBreakText(turn.prefixBreak);
  const bool hasReused = turn.promptTokens > 0 && (turn.reusedTokens > 0 || !why.isEmpty());
  if (hasReused) {
    const QString reused =
        tr("reused %1 of %2 tokens").arg(formatCount(turn.reusedTokens), formatCount(turn.promptTokens));
    parts.append(why.isEmpty() ? reused : tr("%1: %2").arg(reused, why));
  }
  if (turn.generatedTokens > 0 && turn.decodeSeconds > 0) {
    parts.append(formatSpeed(turn.generatedTokens / turn.decodeSeconds));
  }
  if (parts.isEmpty()) return;
  // Where there is no room for all, the buttons keep theirs.
  auto* note = new ElidedLabel("muted", Qt::AlignLeft, this);
  note->setObjectName(QStringLiteral("turnNote"));
  note->setText(parts.join(QStringLiteral(" · ")));
  QStringList tip{note->text()};
  if (hasReused) {
    tip.append(
        tr("Reused: the part of the conversation that did not have to be read again for this answer.\n"
           "Where it is small, an earlier text was changed."));
  }
  if (turn.seed != 0) {
    tip.append(tr("Seed %1: the same seed, settings and text give the same answer").arg(turn.seed));
  }
  if (tip.size() > 1) note->setToolTip(tip.join(u'\n'));
  m_layout->addSpacing(8);
  m_layout->addWidget(note, 1);
}

int FooterRow::heightFor(int) { return layout()->sizeHint().height(); }

QString turnStateText(TurnState state) {
  switch (state) {
    case TurnState::Done:
    case TurnState::Writing: return {};
    case TurnState::Stopped: return QObject::tr("stopped");
    case TurnState::LimitHit: return QObject::tr("length limit reached");
    case TurnState::ContextFull: return QObject::tr("context full");
    case TurnState::Interrupted: return QObject::tr("interrupted");
  }
  return {};
}

QString attachmentText(const Attachment& attachment, quint32 tokens) {
  if (tokens > 0) {
    return QObject::tr("%1 · %2 tokens", nullptr, static_cast<int>(tokens)).arg(attachment.name, formatCount(tokens));
  }
  const auto bytes = static_cast<Bytes>(attachment.text.toUtf8().size());
  return QStringLiteral("%1 (%2)").arg(attachment.name, formatBytes(bytes));
}

}  // namespace headroom::ui
