// The calculator without its widgets: a model, devices and options in; a plan, its verdict and advice on it out.
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <memory>
#include <vector>

#include "plan/improvements.h"
#include "ui/calculator/device_choices.h"
#include "ui/calculator/plan_preview.h"
#include "ui/calculator/starting_plan.h"
#include "ui/calculator/verdict.h"
#include "ui/format/message_words.h"
#include "ui/format/sentence.h"

namespace headroom::ui {

enum class Goal { LongestContext, MostLayers, LowestLoss };

// GUI thread. Setters change the options and re-plan once when control returns to the event loop; planNow() does so at
// once. One plan is made there, in a millisecond or less; the many that advice needs are made on another thread and
// come with advised().
class CalculatorState : public QObject {
  Q_OBJECT
 public:
  explicit CalculatorState(std::vector<DeviceInfo> catalogue, std::vector<Message> refusedDevices = {},
                           QObject* parent = nullptr);

  // Present devices, host first or not; `free_bytes` as the plan should see them (with what our loaded model holds
  // given back).
  void setPresentDevices(std::vector<DeviceInfo> devices);
  const DeviceChoices& devices() const { return m_devices; }
  void setOthersNow(OthersNow othersNow);
  // What was looked for in this machine and cannot be used, a sentence each, without its full stop.
  const std::vector<Message>& refusedDevices() const { return m_refusedDevices; }
  // As the user chose them last, for models that have no choice of their own; not the user's own doing, so
  // devicesChosen() stays silent. Until then, or until the user chooses some, they are chosen for each model that is
  // opened (plan/choose_devices.h).
  void restoreDevices(const std::vector<ChosenDevice>& devices);

  // What a model that is opened for the first time is planned on. Changes with devicesChosen() and whenever present
  // devices are told.
  StartingDevices startingDevices() const;

  // A new model starts from defaults: F16 KV when it fits, else Q8 or FP8, and says so.
  void setModel(std::shared_ptr<const ModelInfo> model);
  // As the user left it: what he asked for, and his devices (empty: he chose none for this model).
  void setModel(std::shared_ptr<const ModelInfo> model, const PlanOptions& asked,
                const std::vector<ChosenDevice>& devices);
  // A model with the options and the devices of a plan that was made for it.
  void setModel(std::shared_ptr<const ModelInfo> model, const MemoryPlan& plan);
  const std::shared_ptr<const ModelInfo>& model() const { return m_model; }
  // What a load of the model has measured instead of the estimate that plans were made with.
  void setMeasuredHeap(Bytes bytes);

  // As asked. The devices are in devices() alone: `options().devices` stays empty.
  const PlanOptions& options() const { return m_options; }
  // The devices and their headroom, if the user chose either; empty: both are the defaults.
  std::vector<ChosenDevice> chosenDevices() const;
  // The user changed nothing: options and devices are those that a model starts with when it is opened for the first
  // time.
  bool hasDefaults() const { return m_hasDefaultOptions && chosenDevices().empty(); }
  void resetToDefaults();                // gives up what the user changed, of devices too
  std::uint32_t longestContext() const;  // what the model was trained for; 0 without a model
  // With a kernel on every chosen device, and not only for checking.
  std::vector<DType> offeredKvTypes() const;

  void setContext(std::uint32_t nCtx);
  void setBatch(std::uint32_t nBatch);  // or kAutoBatch
  void setSlots(std::uint32_t nSlots);  // answers at once
  void setCheckpoints(std::int32_t n);  // or kAutoCheckpoints
  void setKeyType(DType dtype);
  void setValueType(DType dtype);
  void setGpuLayers(std::int32_t nLayers);  // or kAutoLayers
  void setCpuFfn(std::int32_t nLayers);     // or kAutoLayers; kept also while fewer layers are on GPUs
  // Rows are those of DeviceChoices. Other devices leave the numbers of layers to us again.
  void useDevice(std::size_t row, const QString& id);
  void addDevice(const QString& id);
  void removeDevice(std::size_t row);
  void replaceDevice(const QString& id);  // as DeviceChoices::replace()
  void moveDeviceUp(std::size_t row);
  void setHeadroom(std::size_t row, HeadroomRule rule);
  void applyFix(const Fix& fix);
  void solveFor(Goal goal);

  void planNow();
  // The texts have another language now: plans again and tells all that it tells in words.
  void writeAnew();
  const std::shared_ptr<const MemoryPlan>& plan() const { return m_plan; }  // null: no model, or planProblem() says why
  QString planProblem() const { return wordsOf(m_planProblem); }
  Verdict verdict() const;
  // What the options cost beside bytes (a Q4 cache) and what was chosen for the user; sentences.
  QStringList remarks() const;
  bool isLoadable() const { return whyNotLoadable().isEmpty(); }
  Sentence whyNotLoadable() const;

  // Advice on plan(); until advised() those of the plan before, which are then not to be used.
  bool isAdvising() const { return m_isAdvising; }
  // What makes a plan fit that does not, or one that fits faster; the cheapest few.
  const std::vector<Fix>& fixes() const { return m_fixes; }
  const std::vector<PlanPreview>& previewByLayers() const { return m_byLayers; }
  const std::vector<PlanPreview>& previewByFfn() const { return m_byFfn; }

  // Finds out how fast the model would be on each device that can be chosen in a row (one row behind the last: added),
  // with all else as it stands; devicePlanPreviewFound() follows. Nothing without a model.
  void findDevicePlanPreview(std::size_t row);

 signals:
  void modelChanged();
  void devicesChanged();  // others than before are present; new readings of the same ones only re-plan
  void devicesChosen();   // by the user: other ones, another order or another headroom
  void optionsChanged();  // by whatever
  void edited();          // by the user: an option, a device, a fix, a solve, or back to ours
  void planned();
  void othersChanged();  // what other programs hold, of which the verdict tells
  void advised();
  void devicePlanPreviewFound(std::size_t row, const std::vector<headroom::ui::DevicePlanPreview>& preview);
  void solved(const headroom::Message& answer, bool found);  // of solveFor

 private:
  void takeModel(std::shared_ptr<const ModelInfo> model);
  void change(const PlanOptions& options);
  void takeOptions(const PlanOptions& options);
  void afterDevices(bool others);
  PlanInputs inputs() const;
  void chooseDefaults();
  void chooseDevices();
  void takeGeneralDevices();
  void keepTypesPossible();
  void startAdvice();
  struct Advice {
    std::vector<Fix> fixes;
    std::vector<PlanPreview> byLayers, byFfn;
  };
  void takeAdvice(Advice advice);

  DeviceChoices m_devices;
  OthersNow m_othersNow;
  std::vector<Message> m_refusedDevices;
  std::shared_ptr<const ModelInfo> m_model;
  PlanOptions m_options;
  std::shared_ptr<const MemoryPlan> m_plan;
  Message m_planProblem;                                  // no words: there is none
  std::vector<std::function<QString()>> m_chosenForUser;  // sentences, each in the language of now
  struct Chosen {                                         // what the user chose himself
    bool devices = false;                                 // other ones than ours, or another order
    bool headroom = false;                                // what a device is to be left with
  };
  void keepGeneralDevices();
  Chosen m_chosen;
  std::vector<ChosenDevice> m_generalDevices;  // for models without a choice of their own; empty: ours
  Chosen m_generalChosen;
  bool m_hasDefaultOptions = true;  // nobody changed the options of this model
  Message m_whyTheseDevices;        // while they are ours; may be empty
  std::vector<Fix> m_fixes;
  std::vector<PlanPreview> m_byLayers, m_byFfn;
  bool m_isAdvising = false;  // m_fixes and the previews are not those of m_plan yet
  bool m_isThinking = false;  // another thread makes plans for us
  bool m_isOutdated = false;  // ... for a plan that is no longer m_plan
  QTimer m_replan;
};

}  // namespace headroom::ui
