#include "ui/calculator/verdict_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/calculator/verdict_rows.h"
#include "ui/format/format_bytes.h"
#include "ui/theme/roles.h"

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
  column->addLayout(buildLoadRow());
  connect(&m_calculator, &CalculatorState::planned, this, [this] {
    refreshVerdict();
    refreshLoad();
  });
  // Once a second: what the rows show is the plan's.
  connect(&m_calculator, &CalculatorState::othersChanged, this, [this] { describe(m_calculator.verdict().sentence); });
  connect(&m_calculator, &CalculatorState::advised, this, &VerdictView::refreshLoad);
  connect(&m_load, &LoadState::changed, this, &VerdictView::refreshLoad);
  connect(&theme, &Theme::changed, this, &VerdictView::refreshVerdict);
  refreshVerdict();
  refreshLoad();
}

QFrame* VerdictView::buildBanner() {
  m_banner = new QFrame(this);
  m_banner->setObjectName(QStringLiteral("verdict"));
  m_banner->setAccessibleName(tr("Verdict"));
  setRole(m_banner, "banner");
  m_icon = new QLabel(m_banner);
  m_heading = new QLabel(m_banner);
  m_heading->setObjectName(QStringLiteral("verdictSentence"));
  setRole(m_heading, "sentence");
  m_speed = new QLabel(m_banner);
  m_speed->setObjectName(QStringLiteral("verdictSpeed"));
  m_speed->setToolTip(tr("How fast answers come, as far as it can be told before the model is loaded"));
  for (QLabel* label : {m_heading, m_speed}) label->setTextFormat(Qt::PlainText);
  m_rows = new VerdictRows(m_theme, m_banner);
  auto* top = new QHBoxLayout;
  top->setSpacing(kGrid);
  top->addWidget(m_icon);
  top->addWidget(m_heading, 1);
  top->addWidget(m_speed);
  auto* column = new QVBoxLayout(m_banner);
  column->setContentsMargins(12, 10, 12, 10);
  column->setSpacing(kGrid);
  column->addLayout(top);
  column->addWidget(m_rows);
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

void VerdictView::describe(const QString& sentence) {
  m_banner->setToolTip(sentence);
  m_banner->setAccessibleDescription(sentence);
}

// While a slider moves: what is not written anew is not laid out anew.
void VerdictView::refreshVerdict() {
  const Verdict verdict = m_calculator.verdict();
  m_banner->setVisible(!verdict.heading.isEmpty());
  if (m_banner->property("tone").toString() != QLatin1StringView(toneName(verdict.tone)))
    setTone(m_banner, verdict.tone);
  m_icon->setPixmap(m_theme.icon(Theme::toneIconName(verdict.tone), m_theme.tokens().tone(verdict.tone).text)
                        .pixmap(QSize(20, 20), devicePixelRatioF()));
  if (m_heading->text() != verdict.heading) m_heading->setText(verdict.heading);
  if (m_speed->text() != verdict.speed) m_speed->setText(verdict.speed);
  m_rows->setDevices(verdict.devices);
  describe(verdict.sentence);
}

void VerdictView::setModelPath(const QString& path) {
  m_path = path;
  refreshLoad();
}

void VerdictView::refreshLoad() {
  const bool loading = m_load.phase() == LoadPhase::Loading;
  const QString why = m_calculator.whyNotLoadable().text();
  const LoadedModel* loaded = m_load.loaded();
  const bool isThisModel = loaded != nullptr && loaded->path == m_path;
  const auto& plan = m_calculator.plan();
  const bool isThisPlan = isThisModel && plan && m_load.needs(m_path, *plan) == ReloadNeed::kNothing;
  // While it loads one may write already: a space of that must not be what cancels.
  const bool hasFocus = m_loadButton->hasFocus() || m_cancel->hasFocus();
  m_loadButton->setVisible(!loading);
  m_loadButton->setText(isThisModel ? tr("Re&load") : tr("&Load"));
  m_loadButton->setEnabled(why.isEmpty() && !isThisPlan);
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
    text = isThisModel && m_load.isLost()             ? tr("A device of this model was lost: reloading opens it anew.")
           : isThisModel && m_load.isReplaced(m_path) ? tr("The file was written anew: reloading reads it.")
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
