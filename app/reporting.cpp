#include "app/reporting.h"

#include <QCoreApplication>
#include <QDate>
#include <QDir>
#include <QFileDialog>
#include <algorithm>
#include <utility>

#include "app/engine_bridge.h"
#include "app/native_path.h"
#include "backend/registry.h"
#include "ui/background/background.h"
#include "ui/chat/chat_sessions.h"
#include "ui/main_window/main_window.h"
#include "ui/model/model_controller.h"
#include "ui/theme/save_dialog.h"
#include "ui/verify/verify_dialog.h"

namespace headroom::app {
namespace {

ui::VerifySubject subjectOf(const ui::LoadedModel& loaded) {
  return {QString::fromStdString(loaded.model->name), loaded.plan->options.n_ctx, loaded.plan->options.n_slots,
          estimate_verify_seconds(*loaded.model, *loaded.plan)};
}

QString suggestedName() {
  return QStringLiteral("headroom-report-%1.zip").arg(QDate::currentDate().toString(Qt::ISODate));
}

}  // namespace

Reporting::Reporting(const Parts& parts, QObject* parent) : QObject(parent), m_parts(parts) {
  connect(&m_parts.window, &ui::MainWindow::helpOpening, this,
          [this] { m_parts.window.setVerifyAvailable(canVerify()); });
  connect(&m_parts.window, &ui::MainWindow::verifyWanted, this, &Reporting::verify);
  connect(&m_parts.window, &ui::MainWindow::reportWanted, this, &Reporting::askForReport);
  connectEngine();
}

void Reporting::connectEngine() {
  connect(&m_parts.engine, &EngineBridge::verifyProgressed, this,
          [this](quint64 request, const VerifyProgress& progress) {
            if (request == m_request && m_dialog != nullptr) m_dialog->showProgress(progress);
          });
  connect(&m_parts.engine, &EngineBridge::planVerified, this, [this](quint64 request, const Verification& found) {
    if (request != m_request) return;
    m_request = 0;
    const ui::LoadedModel* loaded = m_parts.models.load().loaded();
    m_found = loaded != nullptr ? std::optional(Found{loaded->plan, found}) : std::nullopt;
    if (m_dialog != nullptr) m_dialog->showResult(found);
  });
  connect(&m_parts.engine, &ui::EnginePort::failed, this, [this](quint64 request, const Error& error) {
    if (request != m_request) return;
    m_request = 0;
    if (m_dialog != nullptr) m_dialog->showFailure(error);
  });
}

// While one that was stopped comes to its end, none begins.
bool Reporting::canVerify() const {
  const auto& sessions = m_parts.sessions.sessions();
  return m_parts.models.load().loaded() != nullptr && m_parts.models.load().isSettled() && m_request == 0 &&
         std::ranges::none_of(sessions, [](const ui::ChatSession* session) { return session->isBusy(); });
}

void Reporting::verify() {
  if (m_dialog != nullptr) return m_dialog->raise();
  if (!canVerify()) {
    return m_parts.window.showMessage(ui::Tone::Neutral, [] {
      return tr("A plan is verified while its model is loaded and nothing is being answered.");
    });
  }
  m_dialog = new ui::VerifyDialog(subjectOf(*m_parts.models.load().loaded()), &m_parts.window);
  connect(m_dialog, &ui::VerifyDialog::startWanted, this, [this] { m_request = m_parts.engine.verify(); });
  connect(m_dialog, &ui::VerifyDialog::stopWanted, this, [this] { m_parts.engine.stop(m_request); });
  connect(m_dialog, &ui::VerifyDialog::reportWanted, this, &Reporting::askForReport);
  m_dialog->show();
}

// What is known on this thread.
ReportInputs Reporting::collect() const {
  ReportInputs inputs{.program = "headroom", .version = QCoreApplication::applicationVersion().toStdString()};
  inputs.libraries = {std::string("Qt ") + qVersion()};
  inputs.process = VerifyProcess::kWithWindow;
  inputs.hidden_folders = {toNativePath(m_parts.dataFolder)};
  const ui::LoadedModel* loaded = m_parts.models.load().loaded();
  if (loaded == nullptr) return inputs;
  ReportedLoad load{.model = loaded->model,
                    .plan = loaded->plan,
                    .path = toNativePath(loaded->path),
                    .seconds = loaded->seconds,
                    .grown = m_parts.models.load().grown()};
  for (const ui::ArenaFigures& arena : loaded->arenas) {
    load.arenas.push_back({arena.device.toStdString(), arena.ofSession ? Lifetime::kSession : Lifetime::kModel,
                           arena.plannedBytes, arena.mappedBytes});
  }
  inputs.load = std::move(load);
  if (m_found && m_found->plan == loaded->plan) inputs.verification = m_found->verification;
  return inputs;
}

void Reporting::askForReport() {
  QWidget* parent = m_dialog != nullptr ? static_cast<QWidget*>(m_dialog) : &m_parts.window;
  // Only a name that ends in .zip makes a file of the report and not a folder.
  ui::openSaveDialog(
      parent,
      {tr("Save a report"), QDir::home().filePath(suggestedName()), QStringLiteral("zip"), tr("Zip files (*.zip)")},
      [self = QPointer(this)](const QString& path) {
        if (self != nullptr) self->saveReport(path);
      })
      ->setObjectName(QStringLiteral("reportDialog"));
}

void Reporting::saveReport(const QString& path) {
  const auto svg = m_parts.window.chartBytes(QStringLiteral("svg"));
  const auto csv = m_parts.window.chartBytes(QStringLiteral("csv"));
  const auto write = [path, svg, csv, inputs = collect(), learned = m_parts.learned()]() mutable -> Message {
    Result<std::vector<DeviceInfo>> devices = probe_devices(0, true);
    if (devices) inputs.devices = std::move(*devices);
    learned(inputs.devices);
    inputs.refused_devices = refused_devices(true);
    inputs.chart = {{"chart.svg", svg().toStdString()}, {"chart.csv", csv().toStdString()}};
    const Status written = writeReportFiles(toNativePath(path), makeReport(inputs));
    return written ? Message() : written.error().message;
  };
  ui::runInBackground(ui::writingThreads(), this, write, [this, path](const Message& problem) {
    if (!problem.empty()) return m_parts.window.showMessage(ui::Tone::Bad, problem);
    m_parts.window.showMessage(ui::Tone::Good, [path = QDir::toNativeSeparators(path)] {
      return tr("The report is in %1. Nothing of any conversation is in it.").arg(path);
    });
  });
}

}  // namespace headroom::app
