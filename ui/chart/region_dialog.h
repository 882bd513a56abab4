// The list behind a segment: every tensor or region with its layer, type and bytes; type to filter.
#pragma once

#include <QDialog>
#include <memory>
#include <optional>

#include "plan/memory_plan.h"
#include "ui/theme/segment.h"

namespace headroom::ui {

class RegionDialog : public QDialog {
  Q_OBJECT
 public:
  // Of one device, or of all.
  RegionDialog(std::shared_ptr<const MemoryPlan> plan, Segment segment, std::optional<DeviceIndex> device,
               QWidget* parent = nullptr);
};

}  // namespace headroom::ui
