#include "ui/calculator/verdict_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/format/format_bytes.h"
#include "ui/format/literal_text.h"
#include "ui/theme/layout_guard.h"
#include "ui/theme/roles.h"
#include "ui/theme/wrapping_button.h"

namespace headroom::ui {
namespace {

constexpr int kProgressSteps = 1000;

}  // namespace

VerdictView::VerdictView(const Theme& theme, CalculatorState& calculator, LoadState& load, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_calculator(calculator), m_load(load) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(kGrid);
  column->addWidget(buildBanner());
  m_fixes = new QWidget(this);
  m_fixColumn = new QVBoxLayout(m_fixes);
  m_fixColumn->setContentsMargins(0, 0, 0, 0);
  m_fixColumn->setSpacing(kGrid / 2);
  column->addWidget(m_fixes);
  column->addLayout(buildLoadRow());
  connect(&m_calculator, &CalculatorState::planned, this, [this] {
    refreshVerdict();
    refreshFixes();
    refreshLoad();
  });
  // Once a second: what is not written anew is not laid out anew.
  connect(&m_calculator, &CalculatorState::othersChanged, this, [this] {
    const Verdict verdict = m_calculator.verdict();
    m_sentence->setText(verdict.sentence);
    m_detail->setText(verdict.detail);
    m_detail->setVisible(!verdict.detail.isEmpty());
    m_banner->setAccessibleDescription(verdict.sentence);
  });
  connect(&m_calculator, &CalculatorState::advised, this, [this] {
    refreshFixes();
    refreshLoad();
  });
  connect(&m_load, &LoadState::changed, this, &VerdictView::refreshLoad);
  connect(&theme, &Theme::changed, this, [this] {
    refreshVerdict();
    refreshFixes();
  });
  refreshVerdict();
  refreshFixes();
  refreshLoad();
}

QFrame* VerdictView::buildBanner() {
  m_banner = new QFrame(this);
  m_banner->setObjectName(QStringLiteral("verdict"));
  setRole(m_banner, "banner");
  m_icon = new QLabel(m_banner);
  m_sentence = new QLabel(m_banner);
  m_sentence->setObjectName(QStringLiteral("verdictSentence"));
  setRole(m_sentence, "sentence");
  m_detail = new QLabel(m_banner);
  m_remarks = new QLabel(m_banner);
  m_remarks->setObjectName(QStringLiteral("remarks"));
  for (QLabel* label : {m_sentence, m_detail, m_remarks}) {
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  for (QLabel* label : {m_detail, m_remarks}) setRole(label, "muted");
  auto* text = new QVBoxLayout;
  text->setSpacing(3);
  for (QLabel* label : {m_sentence, m_detail}) text->addWidget(new LayoutGuard(label, m_banner));
  text->addWidget(m_remarks);
  auto* row = new QHBoxLayout(m_banner);
  row->setContentsMargins(12, 10, 12, 10);
  row->setSpacing(10);
  row->addWidget(m_icon, 0, Qt::AlignTop);
  row->addLayout(text, 1);
  return m_banner;
}

QLayout* VerdictView::buildLoadRow() {
  m_loadButton = new QPushButton(tr("&Load"), this);
  m_loadButton->setObjectName(QStringLiteral("loadButton"));
  setRole(m_loadButton, "primary");
  m_loadButton->setAutoDefault(true);  // Enter presses it where it has the keyboard, as Space does
  m_loadButton->setMinimumWidth(96);
  m_cancel = new QPushButton(tr("Ca&ncel"), this);
  m_cancel->setObjectName(QStringLiteral("cancelButton"));
  m_cancel->setAutoDefault(true);
  m_progress = new QProgressBar(this);
  m_progress->setObjectName(QStringLiteral("loadProgress"));
  m_progress->setAccessibleName(tr("Loading"));
  m_progress->setRange(0, kProgressSteps);
  m_loadText = new QLabel(this);
  m_loadText->setObjectName(QStringLiteral("loadText"));
  m_loadText->setWordWrap(true);
  setRole(m_loadText, "muted");
  connect(m_loadButton, &QPushButton::clicked, this, &VerdictView::loadRequested);
  connect(m_cancel, &QPushButton::clicked, &m_load, &LoadState::cancel);
  auto* row = new QHBoxLayout;
  row->setSpacing(kGrid);
  row->addWidget(m_loadButton);
  row->addWidget(m_cancel);
  row->addWidget(m_progress, 1);
  row->addWidget(m_loadText, 1);
  return row;
}

void VerdictView::refreshVerdict() {
  const Verdict verdict = m_calculator.verdict();
  m_banner->setVisible(!verdict.sentence.isEmpty());
  setTone(m_banner, verdict.tone);
  m_icon->setPixmap(m_theme.icon(Theme::toneIconName(verdict.tone), m_theme.tokens().tone(verdict.tone).text)
                        .pixmap(QSize(22, 22), devicePixelRatioF()));
  m_sentence->setText(verdict.sentence);
  m_detail->setText(verdict.detail);
  m_detail->setVisible(!verdict.detail.isEmpty());
  const QStringList remarks = m_calculator.remarks();
  m_remarks->setText(remarks.join(QLatin1Char('\n')));
  m_remarks->setVisible(!remarks.isEmpty());
  m_banner->setAccessibleName(tr("Verdict"));
  m_banner->setAccessibleDescription(verdict.sentence);
}

void VerdictView::refreshFixes() {
  // Those of the plan before stay in their places, so that nothing jumps, and cannot be pressed.
  m_fixes->setEnabled(!m_calculator.isAdvising());
  if (m_calculator.isAdvising()) return;
  while (QLayoutItem* item = m_fixColumn->takeAt(0)) {
    // A button may be the sender of the click that led here.
    item->widget()->hide();
    item->widget()->deleteLater();
    delete item;
  }
  const std::vector<Fix>& fixes = m_calculator.fixes();
  m_fixes->setVisible(!fixes.empty());
  for (std::size_t i = 0; i < fixes.size(); ++i) {
    QPushButton* button = makeFix(fixes[i]);
    button->setObjectName(QStringLiteral("fix%1").arg(i));
    m_fixColumn->addWidget(button);
  }
}

QPushButton* VerdictView::makeFix(const Fix& fix) {
  const ThemeTokens& t = m_theme.tokens();
  const QString text = literalText(QString::fromStdString(fix.text));
  auto* button = new WrappingButton(text, m_fixes);
  setRole(button, "fix");
  QString icon = QStringLiteral("chevron-right"), means = tr("Helps, and does not suffice alone");
  if (fix.speedup) {
    icon = QStringLiteral("faster");
    means = tr("The plan fits as it is, and would be faster with this change");
  } else if (fix.makes_it_fit) {
    icon = QStringLiteral("check");
    means = tr("With this change it fits");
  }
  button->setIcon(m_theme.icon(icon, fix.makes_it_fit ? t.good.text : t.muted));
  button->setToolTip(means);
  button->setAccessibleDescription(means);
  button->setAutoDefault(true);
  connect(button, &QPushButton::clicked, this, [this, fix] { m_calculator.applyFix(fix); });
  return button;
}

void VerdictView::setModelPath(const QString& path) {
  m_path = path;
  refreshLoad();
}

void VerdictView::refreshLoad() {
  const bool loading = m_load.phase() == LoadPhase::Loading;
  const QString why = m_calculator.whyNotLoadable();
  const LoadedModel* loaded = m_load.loaded();
  const bool isThisModel = loaded != nullptr && loaded->path == m_path;
  const auto& plan = m_calculator.plan();
  const bool isThisPlan = isThisModel && plan && what_to_load_again(*loaded->plan, *plan) == ReloadNeed::kNothing;
  // While it loads one may write already: a space of that must not be what cancels.
  const bool hasFocus = m_loadButton->hasFocus() || m_cancel->hasFocus();
  m_loadButton->setVisible(!loading);
  m_loadButton->setText(isThisModel ? tr("Re&load") : tr("&Load"));
  m_loadButton->setEnabled(why.isEmpty() && (!isThisPlan || m_load.isLost()));
  m_cancel->setVisible(loading);
  m_cancel->setEnabled(!m_load.isCancelling());
  if (hasFocus && !loading && m_loadButton->isEnabled()) {
    m_loadButton->setFocus();
  } else if (hasFocus) {
    window()->setFocus();
  }
  m_progress->setVisible(loading);
  m_loadText->setVisible(!loading);
  if (loading) {
    const Bytes total = m_load.bytesTotal();
    // QProgressBar paints at once, and with it all of the window that waits to be painted; here it waits for its turn.
    m_progress->setUpdatesEnabled(false);
    m_progress->setValue(total == 0 ? 0
                                    : static_cast<int>(static_cast<double>(m_load.bytesDone()) /
                                                       static_cast<double>(total) * kProgressSteps));
    m_progress->setFormat(m_load.isCancelling() ? tr("Cancelling\u2026")
                          : total == 0          ? tr("Reserving memory\u2026")
                                                : formatPart(m_load.bytesDone(), total));
    m_progress->setUpdatesEnabled(true);
    return;
  }
  QString text = why;
  if (why.isEmpty()) {
    text = isThisModel && m_load.isLost() ? tr("A device of this model was lost: reloading opens it anew.")
           : isThisPlan  ? tr("Loaded in %1 with exactly this plan.").arg(formatSeconds(loaded->seconds))
           : isThisModel ? (m_load.needs(m_path, *plan) != ReloadNeed::kModel
                                ? tr("Changed: reloading keeps the weights and maps the rest anew.")
                                : tr("Changed: reloading moves the weights too."))
                         : takesText(*plan);
  }
  m_loadText->setText(text);
  m_loadButton->setToolTip(text);
  m_loadButton->setAccessibleDescription(text);
}

}  // namespace headroom::ui
