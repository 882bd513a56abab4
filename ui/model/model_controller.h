// Which model is open and which is loaded, with the options of each: what the window shows, and what comes back at the
// next start. No widgets.
#pragma once

#include <QObject>

#include "ui/calculator/calculator_state.h"
#include "ui/calculator/load_state.h"
#include "ui/format/sentence.h"
#include "ui/model/device_watch.h"
#include "ui/model/model_opener.h"
#include "ui/model/model_services.h"
#include "ui/settings/settings_model.h"
#include "ui/theme/tone.h"

namespace headroom::ui {

// GUI thread. The open model is the one in the calculator; the loaded one may be another.
class ModelController : public QObject {
  Q_OBJECT
 public:
  // The settings outlive it; what is remembered of models is kept there.
  ModelController(ModelServices services, SettingsModel& settings, QObject* parent = nullptr);

  CalculatorState& calculator() { return m_calculator; }
  LoadState& load() { return m_load; }
  DeviceWatch& watch() { return m_watch; }
  EnginePort& engine() { return *m_services.engine; }
  const ModelMemory& memory() const { return m_settings.models(); }
  const QString& path() const { return m_path; }  // of the open model; empty: none is open
  bool isStarter() const { return !m_path.isEmpty() && m_path == m_services.starterModelPath; }
  const QString& starterPath() const { return m_services.starterModelPath; }  // empty: this copy has none
  bool hasStarter() const { return !starterPath().isEmpty(); }

  // Reads the header and plans, with the options that the user gave this model last. Weights are read only on `Load`
  // and `Restore`, and then only when the plan fits.
  void open(const QString& path, AfterOpen then = AfterOpen::ShowPlan);
  void openStarter() { open(m_services.starterModelPath, AfterOpen::Load); }
  // At a start: what was loaded when the program ended, where the user wants that, else the starter model.
  void openLast();
  void close();                               // the open one and the loaded one, and what is on its way
  void startLoad();                           // of the open model as it is planned, unless it is loaded so already
  void loadAgain();                           // the loaded model as it was loaded: its device was lost
  void loadWithout(const QString& deviceId);  // the loaded model, with what takes the place of a device that failed
  // The loaded model is the open one again, with the options that it was loaded with.
  void showLoaded();
  // Whether the loaded model is not on this device and would be if it were loaded again as it is planned now.
  bool reloadBringsTo(const QString& deviceId);
  void clearRecentFiles();
  void tellOpenModel();  // openModelChanged(), for who was not there to hear it

 signals:
  void opened();  // path() and the calculator's model are others, or the same read anew
  void closed();
  void planWanted();  // the user has to look at the plan: nothing is loaded by itself
  // One whole sentence. Details: what only who wants to know more reads; may be empty.
  void told(headroom::ui::Tone tone, const headroom::ui::Sentence& sentence, const headroom::ui::Sentence& details);
  void statusTold(const QString& text);                        // of what goes on; empty: it is over
  void openModelChanged(const QString& name, bool isLoading);  // the open one; empty: none

 private:
  void takeOpened(const OpenedModel& model);
  void takeRefused(const QString& path, const Message& why);
  void restore(bool wasLoading);
  void takeLoad();
  void takeMeasuredHeap();
  void rememberOptions();

  ModelServices m_services;
  SettingsModel& m_settings;
  ModelOpener m_opener;
  CalculatorState m_calculator;
  LoadState m_load;
  DeviceWatch m_watch;
  QString m_path;
  QString m_restoring;         // the file that is being read because it was loaded when the program ended
  bool m_wasLoading = false;   // ... while it was still being loaded
  bool m_keepsLoaded = false;  // the starter stands in for a file that could not be read: that one is tried again
};

}  // namespace headroom::ui
