#include "ui/library/download_row.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStringList>
#include <QVBoxLayout>
#include <cmath>

#include "ui/format/format_bytes.h"
#include "ui/theme/elided_label.h"
#include "ui/theme/roles.h"

namespace headroom::ui {

namespace {

constexpr int kBarSteps = 1000;

Tone toneOf(const Download& download) {
  using namespace download_stage;
  if (std::holds_alternative<Failed>(download.stage())) return Tone::Bad;
  if (std::holds_alternative<Done>(download.stage())) return Tone::Good;
  const auto* paused = std::get_if<Paused>(&download.stage());
  const bool isTrouble =
      std::holds_alternative<Waiting>(download.stage()) || (paused != nullptr && !paused->sentence.isEmpty());
  return isTrouble ? Tone::Warning : Tone::Neutral;
}

}  // namespace

QString progressText(const Download& download) {
  const Bytes done = download.bytesDone(), total = download.bytesTotal();
  if (std::holds_alternative<download_stage::Done>(download.stage())) return formatBytes(std::max(done, total));
  QStringList figures{total > 0 ? formatPart(done, total) : formatBytes(done)};
  if (const std::optional<double> rate = download.bytesPerSecond())
    figures << DownloadRow::tr("%1/s").arg(formatBytes(static_cast<Bytes>(std::llround(*rate))));
  if (const std::optional<qint64> left = download.msLeft())
    figures << DownloadRow::tr("%1 left").arg(formatDuration(*left));
  return figures.join(QStringLiteral(" · "));
}

DownloadRow::DownloadRow(QWidget* parent)
    : QFrame(parent),
      m_name(new ElidedLabel("heading", Qt::AlignLeft | Qt::AlignVCenter, this)),
      m_bar(new QProgressBar(this)),
      m_figures(new QLabel(this)),
      m_state(new QLabel(this)),
      m_pause(new QPushButton(tr("Pause"), this)),
      m_resume(new QPushButton(this)),
      m_remove(new QPushButton(tr("Remove"), this)),
      m_load(new QPushButton(tr("Load"), this)) {
  setRole(this, "card");
  setRole(m_figures, "muted");
  setRole(m_load, "primary");
  m_bar->setRange(0, kBarSteps);
  m_bar->setTextVisible(false);
  m_bar->setFixedHeight(8);
  m_bar->setStyleSheet(QStringLiteral("QProgressBar, QProgressBar::chunk { min-height: 8px; border-radius: 4px; }"));
  for (QLabel* label : {m_figures, m_state}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
  }
  m_figures->setObjectName(QStringLiteral("figures"));
  m_state->setObjectName(QStringLiteral("state"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(12, 8, 12, 8);
  layout->setSpacing(4);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(6);
  buttons->addWidget(m_name, 1);
  const std::pair<QPushButton*, const char*> named[] = {
      {m_pause, "pause"}, {m_resume, "resume"}, {m_load, "load"}, {m_remove, "remove"}};
  for (const auto& [button, name] : named) {
    button->setObjectName(QLatin1String(name));
    buttons->addWidget(button);
  }
  layout->addLayout(buttons);
  layout->addWidget(m_bar);
  layout->addWidget(m_figures);
  layout->addWidget(m_state);
  connect(m_pause, &QPushButton::clicked, this, &DownloadRow::pauseWanted);
  connect(m_resume, &QPushButton::clicked, this, &DownloadRow::resumeWanted);
  connect(m_remove, &QPushButton::clicked, this, &DownloadRow::removeWanted);
  connect(m_load, &QPushButton::clicked, this, &DownloadRow::loadWanted);
}

void DownloadRow::show(const Download& download) {
  using namespace download_stage;
  const bool isDone = std::holds_alternative<Done>(download.stage());
  const bool hasFailed = std::holds_alternative<Failed>(download.stage());
  const bool isHalted = hasFailed || std::holds_alternative<Paused>(download.stage());
  m_name->setText(download.name());
  const double share = download.bytesTotal() > 0
                           ? static_cast<double>(download.bytesDone()) / static_cast<double>(download.bytesTotal())
                           : 0;
  m_bar->setValue(static_cast<int>(std::min(share, 1.0) * kBarSteps));
  m_bar->setVisible(!isDone);
  m_bar->setAccessibleName(tr("Progress of %1").arg(download.name()));
  m_figures->setText(progressText(download));
  QString state = download.stateText();
  if (!isDone && !download.notice().isEmpty()) state += QStringLiteral(". ") + download.notice();
  m_state->setText(state);
  setTone(m_state, toneOf(download));
  // The keyboard stays in the row when a button gives way to another.
  const bool hadFocus = m_pause->hasFocus() || m_resume->hasFocus();
  m_resume->setText(hasFailed ? tr("Try again") : tr("Resume"));
  m_pause->setVisible(!isDone && !isHalted);
  m_resume->setVisible(isHalted);
  m_load->setVisible(isDone);
  if (hadFocus) (isDone ? m_load : isHalted ? m_resume : m_pause)->setFocus();
  m_remove->setToolTip(isDone ? tr("Takes it from this list; the file stays on disk")
                              : tr("Ends it and deletes what has come of it"));
  for (QPushButton* button : {m_pause, m_resume, m_remove, m_load})
    button->setAccessibleName(QStringLiteral("%1: %2").arg(button->text(), download.name()));
}

}  // namespace headroom::ui
