#include "backend/cuda/cuda_backend.h"

#include <algorithm>

#include "backend/cuda/cuda_arena.h"
#include "backend/cuda/cuda_arithmetic.h"
#include "backend/cuda/cuda_speed.h"
#include "backend/cuda/cuda_step.h"
#include "backend/gpu/gpu_backend.h"

namespace headroom {
namespace {

class CudaBackend final : public GpuBackend {
 public:
  CudaBackend(std::shared_ptr<CudaDevice> device, std::optional<MemoryReadings> before)
      : GpuBackend(*device), device_(std::move(device)), before_(std::move(before)) {}

  const DeviceInfo& device_info() const override { return device_->card().info; }

  Result<DeviceSpeed> measure_speed(Bytes most_bytes) override { return measure_cuda_speed(device_, most_bytes); }
  Result<DeviceLimits> measure_limits() override { return measure_cuda_limits(device_); }

  std::optional<Bytes> driver_bytes() override {
    if (!before_) return std::nullopt;
    return driver_share(*before_, read_card_memory(device_->card()), false);
  }

  Result<MemorySample> sample_memory() override {
    if (Status present = device_->check_present(); !present) return present.error();
    return sample_card(device_->card());
  }

 private:
  Result<std::unique_ptr<GpuArena>> make_arena(const ArenaPlan& plan) override {
    Result<std::unique_ptr<CudaArena>> arena = CudaArena::map(device_, plan);
    if (!arena) return arena.error();
    return std::unique_ptr<GpuArena>(std::move(*arena));
  }

  Result<std::unique_ptr<GpuStep>> make_step(const Binding& binding) override {
    Result<std::unique_ptr<CudaStep>> step =
        CudaStep::prepare(device_, bind_gpu(binding, cuda_arithmetic(device_->card())), binding.stop);
    if (!step) return step.error();
    return std::unique_ptr<GpuStep>(std::move(*step));
  }

  std::shared_ptr<CudaDevice> device_;
  std::optional<MemoryReadings> before_;  // the device was opened; absent: it was open already
};

}  // namespace

Result<std::unique_ptr<Backend>> make_cuda_backend(const DeviceInfo& device, const CudaWays& ways) {
  CudaCards found = cuda_cards();
  const auto card = std::ranges::find_if(found.cards, [&](const CudaCard& each) { return each.info.id == device.id; });
  if (card == found.cards.end()) {
    return Error{
        ErrorCode::kUnsupported,
        Message::say("{}: expected the CUDA device {}, found {} devices{}", device.id, device.name, found.cards.size(),
                     found.refused.empty() ? Message() : Message::say("; {}", found.refused.front()))};
  }
  card->info = device;
  std::optional<MemoryReadings> before;
  if (use_of_card(*card).n_open == 0) before = read_card_memory(*card);
  Result<std::shared_ptr<CudaDevice>> opened = CudaDevice::open(*card, ways);
  if (!opened) return opened.error();
  if (before) use_of_card(*card).driver_bytes = driver_share(*before, read_card_memory(*card), false).value_or(0);
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(std::move(*opened), std::move(before)));
}

}  // namespace headroom
