// Who holds the memory of cards: what the engine makes of what NVML tells, with other programs on them. Two cards whose
// order on the PCI bus is not CUDA's, and one that tells no place there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/cuda/cuda_backend.h"
#include "backend/gpu_memory/nvml.h"
#include "cuda/cuda_fixture.h"
#include "engine/run/engine_fixture.h"

namespace headroom {
namespace {

using test::FakeOwnUse;
using testing::HasSubstr;

[[maybe_unused]] const bool is_set = [] {
  setenv(test::kFakeCudaDevices, "sm_90:2GiB@65,sm_75:512MiB@17,sm_80:256MiB", 1);
  const char* library = std::getenv(cuda::kDriverVariable);  // absent while tests are only listed
  if (library != nullptr) setenv(kNvmlVariable, library, 1);
  return true;
}();

constexpr Bytes kTotal = 2 * kGiB, kOthers = 300 * kMiB, kArena = 32 * kMiB;
constexpr int kNotSupported = 3, kNoPermission = 4;

class CudaMemory : public testing::Test {
 protected:
  CudaMemory() {
    fake_.taken[0] = kOthers;
    fake_.taken[1] = 100 * kMiB;
  }
  ~CudaMemory() override {
    for (auto& taken : fake_.taken) taken = 0;
    fake_.nvml_card_error = fake_.nvml_memory_error = fake_.nvml_processes_error = 0;
    fake_.nvml_own = FakeOwnUse::kById;
    fake_.nvml_is_divided = false;
    fake_.nvml_of_others = 0;
  }
  static DeviceInfo card(const std::string& id) {
    for (DeviceInfo& device : test::take(probe_devices(2))) {
      if (device.id == id) return device;
    }
    ADD_FAILURE() << id << " is not here";
    return {};
  }
  // An opened cuda:0 with an arena.
  void open() {
    backend_ = test::take(make_cuda_backend(card("cuda:0")));
    ArenaPlan plan;
    plan.memory = Memory::kDevice;
    plan.size = kArena;
    arena_ = test::take(backend_->map_arena(plan));
  }
  // What is in use of it is divided among us, its driver and others, with nothing left.
  MemorySample sample() {
    MemorySample now = test::take(backend_->sample_memory());
    EXPECT_EQ(now.total, kTotal) << "what the driver keeps for itself is not offered";
    EXPECT_EQ(now.ours + now.account.others.value_or(0) + now.free, now.total);
    EXPECT_EQ(now.ours, kArena + now.account.driver.value_or(0));
    return now;
  }

  test::FakeCuda& fake_ = test::fake_cuda();
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Arena> arena_;
};

TEST_F(CudaMemory, of_cards_that_nobody_opened_is_told_for_each_and_opens_no_context) {
  const std::uint64_t n_opened = fake_.n_calls["cuDevicePrimaryCtxRetain"];
  const DeviceInfo first = card("cuda:0"), second = card("cuda:1"), third = card("cuda:2");
  EXPECT_EQ(fake_.n_calls["cuDevicePrimaryCtxRetain"], n_opened);
  EXPECT_EQ(first.total_bytes, kTotal);
  EXPECT_EQ(first.account.others, kOthers);
  EXPECT_EQ(first.free_bytes, kTotal - kOthers);
  EXPECT_EQ(second.total_bytes, 512 * kMiB);
  EXPECT_EQ(second.account.others, 100 * kMiB);
  EXPECT_EQ(second.free_bytes, 412 * kMiB);
  for (const DeviceInfo& each : {first, second}) {
    EXPECT_EQ(each.account.confidence, MemoryConfidence::kMeasured);
    EXPECT_EQ(each.account.doubt, "");
  }
  {
    const test::UseDevices use("1,0");
    EXPECT_EQ(card("cuda:0").account.others, 100 * kMiB);
    EXPECT_EQ(card("cuda:1").account.others, kOthers);
  }
  EXPECT_EQ(third.account.others, std::nullopt);
  EXPECT_EQ(third.account.confidence, MemoryConfidence::kAssumed) << "NVML cannot be asked for it";
  EXPECT_THAT(third.account.doubt, HasSubstr("Nothing tells what other programs hold of it"));
}

// As a driver that sets memory aside when a kernel is launched first.
TEST_F(CudaMemory, that_a_driver_takes_after_the_load_is_seen) {
  const test::OnDisk model;
  const std::vector<DeviceInfo> devices = test::cpu_and_cuda();
  PlanOptions options = test::context_of(64);
  options.devices = {{1}};
  const auto plan = std::make_shared<const MemoryPlan>(test::take(plan_memory(*model.opened.info, devices, options)));
  const auto loaded =
      test::take(load_model(model.opened.file, {model.opened.info, plan, make_backend}, StopToken(), [](Bytes) {}));
  const auto session = test::take(Session::open(loaded, plan));
  const std::vector<TokenId> tokens{1, 2, 3};
  ASSERT_TRUE(session->step({0, tokens, 1}, {}).ok());
  EXPECT_EQ(session->growth().driver, 0U);
  fake_.takes_at_launch = 5 * kMiB;
  ASSERT_TRUE(session->step({0, tokens, 1}, {}).ok());
  EXPECT_EQ(session->growth().driver, 5 * kMiB);
}

TEST_F(CudaMemory, of_an_open_card_is_ours_its_drivers_and_other_programs) {
  open();
  MemorySample now = sample();
  EXPECT_EQ(now.account.driver, test::kFakeContextBytes) << "and not of other programs";
  EXPECT_EQ(now.account.others, kOthers);
  EXPECT_EQ(now.account.confidence, MemoryConfidence::kMeasured);
  EXPECT_EQ(backend_->driver_bytes(), test::kFakeContextBytes);
  fake_.taken[0] = kGiB;
  EXPECT_EQ(sample().account.others, kGiB) << "what comes meanwhile is theirs";
  EXPECT_EQ(sample().ours, now.ours);
  EXPECT_EQ(backend_->driver_bytes(), test::kFakeContextBytes) << "and not the driver's";
  EXPECT_EQ(card("cuda:0").account.driver, test::kFakeContextBytes);
  arena_.reset();
  backend_.reset();
  EXPECT_EQ(card("cuda:0").account.driver, 0U);
  EXPECT_EQ(card("cuda:0").free_bytes, kGiB);
}

TEST_F(CudaMemory, that_is_ours_without_a_name_is_estimated_and_said) {
  for (const FakeOwnUse own : {FakeOwnUse::kByAnotherId, FakeOwnUse::kNotAvailable, FakeOwnUse::kById}) {
    fake_.nvml_own = own;
    fake_.nvml_processes_error = own == FakeOwnUse::kById ? kNotSupported : 0;
    EXPECT_EQ(card("cuda:0").account.confidence, MemoryConfidence::kMeasured) << "nothing of it is ours";
    open();
    fake_.taken[0] = kGiB;
    const MemorySample now = sample();
    EXPECT_EQ(now.account.driver, test::kFakeContextBytes) << "what it grew by as it was opened";
    EXPECT_EQ(now.account.others, kGiB);
    EXPECT_EQ(now.account.confidence, MemoryConfidence::kEstimated);
    EXPECT_THAT(now.account.doubt, HasSubstr("taken for the 64.0 MiB by which more was in use once it was opened"));
    arena_.reset();
    backend_.reset();
    EXPECT_EQ(card("cuda:0").account.driver, 0U) << "a card that is closed has nothing of ours";
    fake_.taken[0] = kOthers;
  }
}

TEST_F(CudaMemory, that_nvml_does_not_tell_is_not_known_and_why_is_said) {
  open();
  const auto expect_unknown = [&](const char* why) {
    for (const MemoryAccount& account : {sample().account, card("cuda:0").account}) {
      EXPECT_EQ(account.others, std::nullopt);
      EXPECT_EQ(account.confidence, MemoryConfidence::kAssumed);
      EXPECT_EQ(account.driver, test::kFakeContextBytes);
      EXPECT_THAT(account.doubt, HasSubstr(why));
    }
    EXPECT_EQ(sample().free, kTotal - test::kFakeContextBytes - kArena);
  };
  fake_.nvml_memory_error = kNoPermission;
  expect_unknown("NVML tells nothing of 0000:65:00.0 (error 4).");
  fake_.nvml_memory_error = 0;
  fake_.nvml_card_error = kNotSupported;
  expect_unknown("NVML tells nothing of 0000:65:00.0 (error 3).");
  fake_.nvml_card_error = 0;
  EXPECT_EQ(sample().account.confidence, MemoryConfidence::kMeasured) << "once it tells again";
  EXPECT_EQ(sample().account.others, kOthers);
}

// What a program has of a divided card is one instance; NVML tells of the whole.
TEST_F(CudaMemory, of_an_instance_of_a_card_is_not_taken_for_the_cards) {
  const auto expect_unknown = [&](const char* why) {
    for (const MemoryAccount& account : {sample().account, card("cuda:0").account}) {
      EXPECT_EQ(account.others, std::nullopt);
      EXPECT_EQ(account.confidence, MemoryConfidence::kAssumed);
      EXPECT_THAT(account.doubt, HasSubstr(why));
    }
    EXPECT_EQ(sample().free, kTotal - test::kFakeContextBytes - kArena);
    fake_.taken[0] = kGiB;
    EXPECT_EQ(backend_->driver_bytes(), test::kFakeContextBytes) << "what other instances take is not the driver's";
    fake_.taken[0] = kOthers;
  };
  fake_.nvml_is_divided = true;
  open();
  expect_unknown("0000:65:00.0 is divided into instances (MIG)");
  fake_.nvml_is_divided = false;
  EXPECT_EQ(sample().account.confidence, MemoryConfidence::kMeasured);
  for (const Bytes of_others : {kTotal / 4, 7 * kTotal}) {
    fake_.nvml_of_others = of_others;
    expect_unknown("its driver of one with 2.00 GiB: an instance of a card that is divided (MIG)");
  }
  fake_.nvml_of_others = kTotal / 16;
  EXPECT_EQ(sample().account.confidence, MemoryConfidence::kMeasured) << "a driver may keep that for itself";
}

// What is said of cuda:0 in a process with this library, or one that cannot be opened: on the standard error.
void say_doubt(const char* library, const char* error) {
  if (library != nullptr) setenv(kNvmlVariable, library, 1);
  if (error != nullptr) setenv(test::kFakeNvmlInit, error, 1);
  const CudaCards found = cuda_cards();
  const DeviceInfo& device = found.cards.at(0).info;
  std::fprintf(stderr, "%s\n", device.account.doubt.text().c_str());
  std::exit(device.account.others || device.free_bytes != device.total_bytes ? 1 : 0);
}

TEST(CudaWithoutNvml, says_why_and_takes_all_for_free) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  using testing::ExitedWithCode;
  EXPECT_EXIT(say_doubt("no-such-library.so", nullptr), ExitedWithCode(0),
              "NVML: no-such-library.so is not on this machine. Nothing tells what other programs hold of it");
  EXPECT_EXIT(say_doubt("libm.so.6", nullptr), ExitedWithCode(0),
              "NVML: libm.so.6 is older than the functions that are asked for. Nothing tells");
  EXPECT_EXIT(say_doubt(nullptr, "9"), ExitedWithCode(0), "NVML: it could not be opened .error 9.. Nothing tells");
}

// A model of two layers on cuda:0, whose driver's share is known.
class CudaRoom : public CudaMemory {
 protected:
  LoadRequest request(std::uint32_t n_ctx, const HeadroomRule& rule = KeepFree{}) const {
    PlanOptions options = test::context_of(n_ctx);
    options.devices = {{1, rule}};
    options.n_gpu_layers = 2;
    options.n_cpu_ffn = 0;
    std::vector<DeviceInfo> devices = test::cpu_and_cuda();
    devices[1].driver_bytes = test::kFakeContextBytes;
    devices[1].driver_measured = true;
    return {model_.path,
            std::make_shared<const MemoryPlan>(test::take(plan_memory(*model_.opened.info, devices, options)))};
  }
  static Bytes needed(const LoadRequest& of) { return of.plan->planned_bytes(1) + test::kFakeContextBytes; }
  // All but `left` is another program's.
  void leave(Bytes left) { fake_.taken[0] = kTotal - left; }
  test::OnDisk model_;
};

TEST_F(CudaRoom, for_exactly_what_is_planned_is_enough_however_often_it_is_loaded) {
  const LoadRequest small = request(64), large = request(2048);
  ASSERT_GT(needed(large), needed(small));
  test::Engine engine;
  leave(needed(small));
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(small)).has_value()) << "its driver's share is asked for once";
  ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(small)).has_value()) << "in place of the old one";
  for (const bool replans : {false, true}) {
    leave(needed(large) - 1);
    const auto failed = engine.wait_for<Failed>(replans ? engine->replan(large.plan) : engine->load(large));
    ASSERT_TRUE(failed.has_value());
    EXPECT_EQ(failed->error.code, ErrorCode::kDoesNotFit);
    EXPECT_THAT(failed->error.message.text(), HasSubstr("cuda:0: asked for "));
    EXPECT_THAT(failed->error.message.text(), HasSubstr("other programs 1.9"));
    leave(needed(large));
    ASSERT_TRUE(engine.wait_for<ModelLoaded>(replans ? engine->replan(large.plan) : engine->load(large)).has_value());
    ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->replan(small.plan)).has_value());
  }
}

TEST_F(CudaRoom, under_a_rule_of_at_most_counts_the_drivers_share_once) {
  const Bytes most = needed(request(256));
  const LoadRequest enough = request(256, AtMost{most}), little = request(256, AtMost{most - 1});
  test::Engine engine;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(engine.wait_for<ModelLoaded>(engine->load(enough)).has_value()) << i;
    engine.clear();
    const auto failed = engine.wait_for<Failed>(engine->load(little));
    ASSERT_TRUE(failed.has_value());
    EXPECT_EQ(failed->error.code, ErrorCode::kDoesNotFit);
    EXPECT_EQ(engine.count<ModelUnloaded>(), 0U) << "nothing is given up for it";
  }
  ASSERT_TRUE(engine.wait_for<ModelUnloaded>(engine->unload()).has_value());
  EXPECT_TRUE(engine.wait_for<Failed>(engine->load(little)).has_value());
}

}  // namespace
}  // namespace headroom
