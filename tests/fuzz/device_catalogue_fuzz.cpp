// Whatever the bytes of a device catalogue are: devices that can be planned for, or one error.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "devices/device_catalogue.h"
#include "plan/memory_plan.h"
#include "support/model_specs.h"

using namespace headroom;  // NOLINT(google-build-using-namespace): a fuzz target is one function

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n_bytes) {
  static const ModelInfo model = test::random_model(1);
  const Result<std::vector<DeviceInfo>> rows = parse_device_catalogue({reinterpret_cast<const char*>(data), n_bytes});
  if (!rows) {
    CHECK(rows.error().code == ErrorCode::kBadFile && !rows.error().message.text().empty(), "an error says nothing");
    return 0;
  }
  std::vector<DeviceInfo> devices = *rows;
  devices.push_back(test::cpu_with(kGiB));
  for (DeviceIndex i = 0; i < devices.size(); ++i) {
    const Result<MemoryPlan> plan = plan_memory(model, devices, {.n_ctx = 64, .devices = {{i}}});
    CHECK(plan.ok(), devices[i].name.c_str());
    CHECK(find_device(devices, devices[i].name).ok(), devices[i].name.c_str());
  }
  return 0;
}
