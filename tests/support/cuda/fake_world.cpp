#include "support/cuda/fake_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/ptx/machine.h"

namespace headroom::cuda {
namespace {

using test::FakeRuns;

std::size_t parse_size(const std::string& text) {
  const std::size_t n = std::strtoull(text.c_str(), nullptr, 10);
  if (text.find("GiB") != std::string::npos) return n << 30;
  return text.find("MiB") != std::string::npos ? n << 20 : n;
}

void say(const std::string& what) {
  if (!control().is_quiet) std::fprintf(stderr, "fake CUDA: %s\n", what.c_str());
}

void read_failure() {
  const char* setting = std::getenv(test::kFakeCudaFail);
  if (setting == nullptr) return;
  const std::string text = setting;
  control().failing_call = text.substr(0, text.find('='));
  control().failure = std::atoi(text.c_str() + std::min(text.size(), text.find('=') + 1));
  control().fail_at = 1;
}

// None where the kernels' twins run.
const std::map<std::string, ptx::Entry>& ptx_entries() {
  static const std::map<std::string, ptx::Entry> all = [] {
    std::map<std::string, ptx::Entry> found;
    const char* folder = std::getenv(test::kFakeCudaPtx);
    if (folder == nullptr) return found;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      if (file.path().extension() != ".ptx") continue;
      std::stringstream text;
      text << std::ifstream(file.path()).rdbuf();
      Result<std::map<std::string, ptx::Entry>> entries = ptx::parse(text.str());
      if (!entries) {
        say(entries.error().message.text());
        std::abort();
      }
      found.merge(*entries);
    }
    return found;
  }();
  return all;
}

std::string run_ptx(const ptx::Entry& entry, const std::vector<std::byte>& params, const LaunchSizes& sizes) {
  ++control().n_ptx_launches;
  ptx::Launch setup;
  setup.entry = &entry;
  std::copy(std::begin(sizes.grid), std::end(sizes.grid), setup.grid);
  setup.n_threads = sizes.n_threads;
  setup.params = params;
  setup.seed = control().seed++;
  setup.is_allocated = [](std::uint64_t address, std::size_t bytes) {
    return world().memory.find(address, bytes) != nullptr;
  };
  return ptx::run(setup);
}

std::string run_twin(const EmulatedKernel& kernel, const std::vector<std::byte>& params, const LaunchSizes& sizes) {
  EmulatedLaunch setup;
  setup.kernel = &kernel;
  std::copy(std::begin(sizes.grid), std::end(sizes.grid), setup.grid);
  setup.n_threads = sizes.n_threads;
  setup.params = params.data();
  setup.seed = control().seed++;
  if (control().skipped_kernel == kernel.name) setup.skipped_barrier = control().skipped_barrier;
  setup.order = setup.seed % 3 == 0   ? LaneOrder::kAscending
                : setup.seed % 3 == 1 ? LaneOrder::kShuffled
                                      : LaneOrder::kDescending;
  return cuda::launch(setup);
}

bool runs_now() {
  const FakeRuns runs = control().runs;
  return runs == FakeRuns::kAtOnce || (runs == FakeRuns::kEither && world().order() % 4 == 0);
}

}  // namespace

World& world() {
  static World all;
  return all;
}

test::FakeCuda& control() {
  static test::FakeCuda all;
  return all;
}

std::size_t used_by_all(const CUctx_st& device) {
  const std::size_t taken = control().taken[static_cast<std::size_t>(device.number)];
  return device.used + std::min(taken, device.total - device.used);
}

void read_devices() {
  World& all = world();
  if (!all.devices.empty()) return;
  const char* setting = std::getenv(test::kFakeCudaDevices);
  std::string rest = setting != nullptr ? setting : "sm_90:2GiB";
  while (!rest.empty() && all.devices.size() < test::kMostFakeDevices) {
    const std::string one = rest.substr(0, rest.find(','));
    rest = one.size() < rest.size() ? rest.substr(one.size() + 1) : "";
    if (one.size() < 5) continue;
    auto device = std::make_unique<CUctx_st>();
    device->number = static_cast<int>(all.devices.size());
    const int version = std::atoi(one.c_str() + 3);
    device->major = version / 10;
    device->minor = version % 10;
    if (const std::size_t colon = one.find(':'); colon != std::string::npos)
      device->total = parse_size(one.substr(colon + 1));
    if (const std::size_t at = one.find('@'); at != std::string::npos)
      device->bus = static_cast<int>(std::strtol(one.c_str() + at + 1, nullptr, 16));
    all.devices.push_back(std::move(device));
  }
}

CUresult fault(CUresult result, const std::string& what) {
  if (!control().is_quiet) ++control().n_faults;
  control().last_fault = what;
  say(what);
  return result;
}

bool has_fault(const std::string& kind) {
  const char* setting = std::getenv(test::kFakeCudaFault);
  const std::string text = setting != nullptr ? setting : "";
  return text.substr(0, text.find_first_of("@:")) == kind;
}

namespace {

std::string fault_words() {
  const std::string text = std::getenv(test::kFakeCudaFault);
  return text.substr(std::min(text.size(), text.find_first_of("@:") + 1));
}

void read_fault() {
  const auto number = [] { return static_cast<std::uint32_t>(std::atoi(fault_words().c_str())); };
  test::FakeCuda& told = control();
  if (has_fault("lost")) told.lose_at_launch = number();
  if (has_fault("hang")) told.hang_at_launch = number();
  if (has_fault("fragment")) emulated::fragment_fault() = 1;
  if (has_fault("barrier")) {
    const std::string words = fault_words();
    told.skipped_kernel = words.substr(0, words.find(':'));
    told.skipped_barrier = std::atoi(words.c_str() + words.find(':') + 1);
  }
}

// Of prove/arena_guards.h.
constexpr std::size_t kGuardBytes = 4096;
CUdeviceptr last_guard = 0;

void do_at_launch() {
  static const bool crashes = has_fault("crash"), writes_behind = has_fault("behind");
  if (!crashes && !writes_behind) return;
  static int n_left = std::atoi(fault_words().c_str());
  if (--n_left != 0) return;
  if (crashes) std::raise(SIGSEGV);
  if (last_guard != 0) *reinterpret_cast<std::byte*>(last_guard + 5) = std::byte{0};  // NOLINT: an address of the API
}

}  // namespace

void copied(CUdeviceptr to, std::size_t bytes, bool from_host) {
  if (!from_host) return;
  if (bytes == kGuardBytes) last_guard = to;
  static const bool spoils = has_fault("scale");
  static int n_uploads = 0;
  constexpr int kSpoiled = 12;
  constexpr std::size_t kScales = 64, kPanel = 4096;
  if (!spoils || bytes < 2 * kGuardBytes || ++n_uploads != kSpoiled) return;
  // Of every few rows twice or half of the f16 numbers at their beginning.
  for (std::size_t at = 0; at + kScales < bytes; at += kPanel / 8) {
    for (std::size_t i = 1; i < kScales; i += 2) *reinterpret_cast<std::byte*>(to + at + i) ^= std::byte{4};  // NOLINT
  }
}

bool is_stale(std::uint64_t n_launches) {
  static const bool becomes_stale = has_fault("stale");
  return becomes_stale && n_launches > 2;
}

CUresult called(const char* name, CUcontext current) {
  const std::lock_guard lock(world().mutex);
  test::FakeCuda& told = control();
  [[maybe_unused]] static const bool is_read = (read_failure(), read_fault(), true);
  ++told.n_calls[name];
  if (told.fail_at == 0 || told.failing_call != name || --told.fail_at > 0) return CUDA_SUCCESS;
  if (told.failure == kLaunchFailed && current != nullptr) lose(*current);
  return told.failure;
}

CUresult lose(CUctx_st& device) {
  device.is_lost = true;
  return kLaunchFailed;
}

CUresult add(CUstream_st& stream, Work work) {
  if (stream.captured) {
    stream.captured->work.push_back(std::move(work));
    return CUDA_SUCCESS;
  }
  stream.waiting.push_back(std::move(work));
  ++stream.n_added;
  stream.done.was_asked = false;
  return runs_now() ? run_until(stream, stream.n_added) : CUDA_SUCCESS;
}

CUresult run_until(CUstream_st& stream, std::uint64_t position) {
  CUresult result = stream.context->is_lost ? kLaunchFailed : CUDA_SUCCESS;
  if (result == CUDA_SUCCESS && stream.n_run >= position) return result;
  // Within what another stream runs that waits for this one, it is there already.
  static int n_running = 0;
  if (n_running++ == 0) world().memory.let_devices_reach(true);
  while (result == CUDA_SUCCESS && stream.n_run < position && !stream.context->hangs) {
    Work work = std::move(stream.waiting.front());
    stream.waiting.pop_front();
    ++stream.n_run;
    result = work();
    if (!stream.context->hangs) continue;
    // A kernel that hangs does its work when it goes on, if ever: what is behind it reads that.
    stream.waiting.push_front(std::move(work));
    --stream.n_run;
  }
  if (--n_running == 0) world().memory.let_devices_reach(false);
  if (result == CUDA_SUCCESS) return result;
  stream.waiting.clear();
  stream.n_run = stream.n_added;
  return result;
}

CUresult launch_now(const EmulatedKernel& kernel, CUctx_st& device, const std::vector<std::byte>& params,
                    const LaunchSizes& sizes) {
  test::FakeCuda& told = control();
  ++told.n_launches;
  ++told.n_launches_of[kernel.name];
  device.used += told.takes_at_launch.exchange(0);
  do_at_launch();
  if (told.lose_at_launch > 0 && --told.lose_at_launch == 0) {
    say("the device is lost for a test");
    return lose(device);
  }
  const auto entry = ptx_entries().find(kernel.name);
  if (told.hang_at_launch > 0 && --told.hang_at_launch == 0) {
    say("the device hangs for a test");
    device.hangs = true;
    return CUDA_SUCCESS;
  }
  std::string wrong =
      entry != ptx_entries().end() ? run_ptx(entry->second, params, sizes) : run_twin(kernel, params, sizes);
  if (wrong.empty()) {
    wrong = world().memory.damage();
    if (!wrong.empty()) wrong = fmt::format("until after {}: {}", kernel.name, wrong);
  }
  return wrong.empty() ? CUDA_SUCCESS : fault(lose(device), wrong);
}

void reset(CUctx_st& device) {
  World& all = world();
  for (auto each = all.memory.all().begin(); each != all.memory.all().end();) {
    const auto [address, allocation] = *each++;
    if (allocation.device != device.number) continue;
    (allocation.is_host ? control().host_bytes : control().device_bytes) -= allocation.bytes;
    if (!allocation.is_host) device.used -= allocation.bytes;
    if (const std::string wrong = all.memory.release(address); !wrong.empty()) fault(kInvalidValue, wrong);
  }
  all.execs.remove_of(&device);
  all.graphs.remove_of(&device);
  all.events.remove_of(&device);
  all.streams.remove_of(&device);
  all.modules.remove_of(&device);
  device.is_lost = device.hangs = false;
}

std::string left_in(const CUctx_st& device) {
  const World& all = world();
  const auto n_allocations = std::count_if(all.memory.all().begin(), all.memory.all().end(),
                                           [&](const auto& each) { return each.second.device == device.number; });
  std::string text;
  const auto count = [&](std::size_t n, const char* what) {
    if (n > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, what);
  };
  count(static_cast<std::size_t>(n_allocations), "allocations");
  count(all.modules.n_of(&device), "modules");
  count(all.streams.n_of(&device), "streams");
  count(all.events.n_of(&device), "events");
  count(all.graphs.n_of(&device) + all.execs.n_of(&device), "graphs");
  return text;
}

}  // namespace headroom::cuda
