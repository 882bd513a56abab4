#include "ui/verify/verify_dialog.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <cmath>

#include "ui/format/format_bytes.h"
#include "ui/settings/page_parts.h"
#include "ui/theme/page_area.h"
#include "ui/theme/roles.h"
#include "ui/theme/text_scale.h"
#include "ui/verify/verify_result.h"
#include "ui/verify/verify_words.h"

namespace headroom::ui {
namespace {

constexpr QSize kVerifySize{760, 480};
constexpr int kWholeProgress = 1000;

QLabel* addText(QVBoxLayout* layout, const QString& text) {
  auto* label = new QLabel(text, layout->parentWidget());
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(label);
  return label;
}

// The verdict, and what differs.
QFrame* makeBanner(const Verification& found, QWidget* parent) {
  auto* banner = new QFrame(parent);
  setRole(banner, "banner");
  auto* layout = new QVBoxLayout(banner);
  QLabel* verdict = addText(layout, verifyVerdict(found));
  verdict->setObjectName(QStringLiteral("verifyVerdict"));
  setRole(verdict, "sentence");
  const QStringList differences = verifyDifferences(found);
  for (const QString& sentence : differences) addText(layout, sentence);
  setTone(banner, differences.isEmpty() ? Tone::Good : Tone::Bad);
  return banner;
}

// Scrolls where the window is small or the text large.
PageArea* inArea(QWidget* page) {
  setRole(page, "page");
  auto* area = new PageArea(page);
  area->setFocusPolicy(Qt::NoFocus);
  return area;
}

}  // namespace

VerifyDialog::VerifyDialog(const VerifySubject& subject, QWidget* parent) : QDialog(parent), m_subject(subject) {
  setObjectName(QStringLiteral("verifyDialog"));
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowModality(Qt::WindowModal);
  setWindowTitle(tr("Verify this plan"));
  auto* layout = new QVBoxLayout(this);
  m_pages = new QStackedWidget(this);
  m_pages->addWidget(inArea(buildQuestion()));
  m_pages->addWidget(inArea(buildRunning()));
  layout->addWidget(m_pages, 1);
  layout->addLayout(buildButtons());
  resizeToText(*this, kVerifySize);
  showPage(Page::Question);
}

// Not in a QDialogButtonBox, which shows all that are hidden when the style changes.
QHBoxLayout* VerifyDialog::buildButtons() {
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  const auto add = [&](const QString& text, const char* name) {
    auto* button = new QPushButton(text, this);
    button->setObjectName(QLatin1String(name));
    row->addWidget(button);
    return button;
  };
  m_start = add(tr("&Verify"), "startVerify");
  m_stop = add(tr("&Stop"), "stopVerify");
  m_report = add(tr("Save a &report\u2026"), "saveReport");
  QPushButton* close = add(tr("&Close"), "closeVerify");
  setRole(m_start, "primary");
  connect(m_start, &QPushButton::clicked, this, &VerifyDialog::start);
  connect(m_stop, &QPushButton::clicked, this, &VerifyDialog::stopWanted);
  connect(m_report, &QPushButton::clicked, this, &VerifyDialog::reportWanted);
  connect(close, &QPushButton::clicked, this, &VerifyDialog::reject);
  return row;
}

QWidget* VerifyDialog::buildQuestion() {
  auto* page = new QWidget(this);
  QVBoxLayout* layout = layOutPage(page);
  addHeading(layout, tr("Does %1 take exactly what was planned?").arg(m_subject.model));
  addText(layout,
          m_subject.nSlots == 1
              ? tr("The context of %1 tokens is filled to its end, and the speed of answers is measured at its "
                   "beginning, half and end. Then %2 short answers are written one after the other.")
                    .arg(formatCount(m_subject.nCtx), formatCount(kVerifyAnswers))
              : tr("The contexts of all %1 slots, of %2 tokens each, are filled to their end, and the speed of answers "
                   "is measured at the beginning, half and end of one. Then %3 short answers are written one after the "
                   "other.")
                    .arg(formatCount(m_subject.nSlots), formatCount(m_subject.nCtx), formatCount(kVerifyAnswers)));
  addText(layout, tr("Meanwhile the memory of each device is watched; the chart goes on."));
  addText(layout, m_subject.seconds ? tr("It takes about %1, and can be stopped at any time.")
                                          .arg(formatDuration(std::llround(*m_subject.seconds * 1000)))
                                    : tr("How long it takes is not known. It can be stopped at any time."));
  addText(layout,
          tr("Conversations stay as they are, but their caches are used for it: the next answer of each reads its "
             "conversation again first."));
  m_end = addText(layout, {});
  m_end->setObjectName(QStringLiteral("verifyEnd"));
  layout->addStretch(1);
  return page;
}

QWidget* VerifyDialog::buildRunning() {
  auto* page = new QWidget(this);
  QVBoxLayout* layout = layOutPage(page);
  m_step = new QLabel(page);
  m_step->setObjectName(QStringLiteral("verifyStep"));
  m_step->setTextFormat(Qt::PlainText);
  m_progress = new QProgressBar(page);
  m_progress->setObjectName(QStringLiteral("verifyProgress"));
  m_progress->setAccessibleName(tr("How far the verification is"));
  m_progress->setRange(0, kWholeProgress);
  layout->addWidget(m_step);
  layout->addWidget(m_progress);
  layout->addStretch(1);
  return page;
}

void VerifyDialog::showPage(Page page) {
  m_page = page;
  m_pages->setCurrentIndex(static_cast<int>(page));
  m_start->setVisible(page != Page::Running);
  m_start->setText(page == Page::Result ? tr("&Verify again") : tr("&Verify"));
  m_stop->setVisible(page == Page::Running);
  m_report->setVisible(page == Page::Result);
  m_end->setVisible(!m_end->text().isEmpty());
  QPushButton* next = page == Page::Question ? m_start : page == Page::Running ? m_stop : m_report;
  next->setDefault(true);
  next->setFocus(Qt::OtherFocusReason);
}

void VerifyDialog::start() {
  m_end->clear();
  showProgress({});
  emit startWanted();
}

void VerifyDialog::showProgress(const VerifyProgress& progress) {
  m_step->setText(verifyStep(progress));
  m_progress->setValue(static_cast<int>(kWholeProgress * progress.n_done / progress.n_total));
  if (m_page != Page::Running) showPage(Page::Running);
}

void VerifyDialog::showResult(const Verification& found) {
  if (m_pages->count() > static_cast<int>(Page::Result)) delete m_pages->widget(static_cast<int>(Page::Result));
  auto* page = new QWidget(this);
  QVBoxLayout* layout = layOutPage(page);
  layout->addWidget(makeBanner(found, page));
  addNote(layout, tr("Filled to the end: %1 of %2 slots of %3 tokens, in %4.")
                      .arg(formatCount(found.n_full_slots), formatCount(found.n_slots), formatCount(found.n_ctx),
                           formatSeconds(found.seconds)));
  layout->addWidget(new VerifyResult(found, page));
  m_pages->addWidget(inArea(page));
  showPage(Page::Result);
}

void VerifyDialog::showFailure(const Error& error) {
  m_end->setText(verifyEnd(error));
  setTone(m_end, error.code == ErrorCode::kCancelled ? Tone::Neutral : Tone::Bad);
  showPage(Page::Question);
}

void VerifyDialog::reject() {
  if (m_page == Page::Running) emit stopWanted();
  QDialog::reject();
}

}  // namespace headroom::ui
