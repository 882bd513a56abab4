// Asks before the loaded plan is verified, shows how far it is, and what was found.
#pragma once

#include <QDialog>
#include <optional>

#include "base/result.h"
#include "plan/verification.h"
#include "ui/theme/tone.h"

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace headroom::ui {

// What is to be verified.
struct VerifySubject {
  QString model;
  quint32 nCtx = 0, nSlots = 0;
  std::optional<double> seconds;  // about how long it takes; absent: nobody knows
};

// Shows and asks; who made it carries that to the engine and tells what comes of it. While it is open nothing else of
// the window can be used, so that its language is the one in which it was made.
class VerifyDialog : public QDialog {
  Q_OBJECT
 public:
  explicit VerifyDialog(const VerifySubject& subject, QWidget* parent = nullptr);

  void showProgress(const VerifyProgress& progress);
  void showResult(const Verification& found);
  void showFailure(const Error& error);  // kCancelled: it was stopped
  void reject() override;                // stops what runs

 signals:
  void startWanted();
  void stopWanted();
  void reportWanted();

 private:
  enum class Page { Question, Running, Result };
  QWidget* buildQuestion();
  QWidget* buildRunning();
  QHBoxLayout* buildButtons();
  void showPage(Page page);
  void start();

  const VerifySubject m_subject;
  Page m_page = Page::Question;
  QStackedWidget* m_pages;
  QLabel *m_end, *m_step;
  QProgressBar* m_progress;
  QPushButton *m_start, *m_stop, *m_report;
};

}  // namespace headroom::ui
