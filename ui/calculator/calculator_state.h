// The calculator without its widgets: a model, devices and options in; a plan, its verdict and its fixes out.
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <memory>
#include <vector>

#include "plan/fixes.h"
#include "plan/memory_plan.h"
#include "ui/calculator/verdict.h"

namespace headroom::ui {

enum class Goal { LongestContext, MostLayers, LowestLoss };

// GUI thread. Setters change the options and re-plan once when control returns to the event loop; planNow() does so at
// once.
class CalculatorState : public QObject {
  Q_OBJECT
 public:
  explicit CalculatorState(std::vector<DeviceInfo> catalogue, QObject* parent = nullptr);

  // Present devices, host first or not; `free_bytes` as the plan should see them (with what our loaded model holds
  // given back).
  void setPresentDevices(std::vector<DeviceInfo> devices);
  const std::vector<DeviceInfo>& presentDevices() const { return m_present; }
  const std::vector<DeviceInfo>& catalogue() const { return m_catalogue; }

  // A new model starts from defaults: F16 KV when it fits, else Q8 or FP8, and says so.
  void setModel(std::shared_ptr<const ModelInfo> model);
  // A model with the options and the device of a plan that was made for it.
  void setModel(std::shared_ptr<const ModelInfo> model, const MemoryPlan& plan);
  const std::shared_ptr<const ModelInfo>& model() const { return m_model; }

  const PlanOptions& options() const { return m_options; }
  HeadroomRule headroom() const { return m_options.headroom_of(m_options.main_device()); }  // on the chosen device
  const DeviceInfo* device() const;  // the chosen one; null before devices are known
  QString deviceId() const { return m_deviceId; }
  std::uint32_t longestContext() const;  // what the model was trained for; 0 without a model

  void setContext(std::uint32_t nCtx);
  void setSlots(std::uint32_t nSlots);
  void setBatch(std::uint32_t nBatch);
  void setKeyType(DType dtype);
  void setValueType(DType dtype);
  void setGpuLayers(std::int32_t nLayers);  // or kAutoLayers
  void setHeadroom(HeadroomRule rule);
  void setDevice(const QString& id);
  void applyFix(const Fix& fix);
  void solveFor(Goal goal);

  void planNow();
  const std::shared_ptr<const MemoryPlan>& plan() const { return m_plan; }  // null: no model, or planProblem() says why
  const QString& planProblem() const { return m_planProblem; }
  Verdict verdict() const;
  const std::vector<Fix>& fixes() const { return m_fixes; }
  // What the options cost beside bytes (a Q4 cache) and what was chosen for the user; sentences.
  QStringList remarks() const;
  bool isLoadable() const { return whyNotLoadable().isEmpty(); }
  QString whyNotLoadable() const;

 signals:
  void modelChanged();
  void devicesChanged();  // others than before; new readings of the same devices only re-plan
  void optionsChanged();  // by a setter, a fix or a solve
  void planned();
  void solved(const QString& sentence, bool found);  // the answer of solveFor, in words

 private:
  void takeModel(std::shared_ptr<const ModelInfo> model);
  void change(PlanOptions options);
  std::vector<DeviceInfo> planningDevices() const;
  void planFor(const std::vector<DeviceInfo>& devices);
  void chooseDefaults();
  void keepTypesPossible();
  void findFixes();

  std::vector<DeviceInfo> m_present, m_catalogue;
  QString m_deviceId;
  std::shared_ptr<const ModelInfo> m_model;
  PlanOptions m_options;
  std::shared_ptr<const MemoryPlan> m_plan;
  QString m_planProblem;
  QStringList m_chosenForUser;
  std::vector<Fix> m_fixes;
  QTimer m_replan;
};

}  // namespace headroom::ui
