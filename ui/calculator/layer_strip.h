// Where each layer of a plan stands: the layers from left to right, attention above, FFN below.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "plan/memory_plan.h"
#include "ui/theme/theme.h"

namespace headroom::ui {

// Neighbouring layers whose parts stand on the same devices.
struct LayerStretch {
  int first = 0, last = 0;
  DeviceIndex attention = 0, ffn = 0;
  bool operator==(const LayerStretch&) const = default;
};
std::vector<LayerStretch> layerStretches(const MemoryPlan& plan);

// "Host: layers 0-11 and the FFN of 12-15; RTX 4090: the attention of 12-15, layers 16-31, the head".
QString placementText(const MemoryPlan& plan);

class LayerStrip : public QWidget {
  Q_OBJECT
 public:
  explicit LayerStrip(const Theme& theme, QWidget* parent = nullptr);

  void setPlan(std::shared_ptr<const MemoryPlan> plan);  // null: empty

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {80, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QBrush brushOf(DeviceIndex device) const;
  QColor inkOn(DeviceIndex device) const;
  QRectF rectOf(const LayerStretch& stretch) const;
  int orderOf(DeviceIndex device) const;

  const Theme& m_theme;
  std::shared_ptr<const MemoryPlan> m_plan;
  std::vector<LayerStretch> m_stretches;
};

}  // namespace headroom::ui
