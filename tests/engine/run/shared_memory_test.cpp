// Loads and sessions on a host and a device that shares its memory, as one fake machine has it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "backend/reference/reference_device.h"
#include "engine/run/loaded_fixture.h"
#include "run/memory_request.h"
#include "support/fake_backend.h"
#include "support/model_specs.h"
#include "support/random_machine.h"

namespace headroom {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace): the fixture's names
using testing::AllOf;
using testing::HasSubstr;

class SharedMemory : public ::testing::Test {
 protected:
  SharedMemory() : opened_(open_or_die(make_random_model(four_layers(), folder_.path()))) {
    devices_ = {make_cpu_device("the host", kGiB, kGiB, 2), reference_devices("1GiB")->front()};
    devices_[1].has_unified_memory = true;
    plan_ = plan_of(256);
    machine_.total = asked();
  }

  static RandomModelSpec four_layers() {
    RandomModelSpec spec;
    spec.n_layers = 4;
    return spec;
  }
  std::shared_ptr<const MemoryPlan> plan_of(std::uint32_t n_ctx) const {
    PlanOptions options;
    options.n_ctx = n_ctx;
    options.n_batch = 32;
    options.n_gpu_layers = 2;
    options.devices = {{1}};
    Result<MemoryPlan> plan = plan_memory(*opened_.info, devices_, options);
    CHECK(plan.ok(), plan.error().message.text().c_str());
    return std::make_shared<const MemoryPlan>(std::move(*plan));
  }
  Bytes asked() const { return plan_->planned_bytes(0) + plan_->planned_bytes(1); }
  Result<std::shared_ptr<const LoadedModel>> load() {
    const auto make = [this](const DeviceInfo& device) -> Result<std::unique_ptr<Backend>> {
      return std::unique_ptr<Backend>(std::make_unique<fake::FakeBackend>(device, machine_));
    };
    return load_model(opened_.file, {opened_.info, plan_, make}, {}, [](Bytes) {});
  }

  TempFolder folder_;
  OpenedFile opened_;
  std::vector<DeviceInfo> devices_;
  std::shared_ptr<const MemoryPlan> plan_;
  fake::Machine machine_;  // all memory of both
};

TEST_F(SharedMemory, a_load_and_its_session_that_just_fit_take_all_of_it) {
  const auto loaded = load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().message.text();
  const auto session = Session::open(*loaded, plan_);
  ASSERT_TRUE(session.ok()) << session.error().message.text();
  EXPECT_EQ(machine_.mapped_now, machine_.total);
  for (const ArenaReport& arena : (*session)->memory_report().arenas)
    EXPECT_EQ(arena.planned_bytes, arena.mapped_bytes);
}

TEST_F(SharedMemory, a_load_that_lacks_one_granule_is_refused_with_what_each_is_asked_for) {
  machine_.total = asked() - devices_[1].granularity;
  ASSERT_LT(plan_->planned_bytes(0), machine_.total) << "each alone has room";
  ASSERT_LT(plan_->planned_bytes(1), machine_.total);
  const auto loaded = load();
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kDoesNotFit);
  const auto bytes = [](Bytes n) { return "(" + std::to_string(n) + " bytes)"; };
  EXPECT_THAT(loaded.error().message.text(),
              AllOf(HasSubstr("reference:0: asked for "), HasSubstr(bytes(plan_->planned_bytes(1))),
                    HasSubstr(", cpu with the same memory for "), HasSubstr(bytes(plan_->planned_bytes(0))),
                    HasSubstr(", free "), HasSubstr(bytes(machine_.total))));
  EXPECT_EQ(machine_.mapped_now, 0U);
}

TEST_F(SharedMemory, a_session_is_refused_when_the_pool_has_shrunk_since_the_load) {
  const auto loaded = load();
  ASSERT_TRUE(loaded.ok());
  machine_.held_by_others = devices_[1].granularity;
  const auto session = Session::open(*loaded, plan_);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().code, ErrorCode::kDoesNotFit);
  EXPECT_THAT(session.error().message.text(), HasSubstr("with the same memory"));
}

// --- the rule itself ---

class MemoryRequests : public ::testing::Test {
 protected:
  MemoryRequests() {
    plan_.devices = {make_cpu_device("the host", 1000, 1000, 1), shared("gpu:0"), shared("gpu:1")};
    plan_.options.devices = {{1}, {2}};
  }
  static DeviceInfo shared(const char* id) {
    DeviceInfo device;
    device.id = id;
    set_kind(device, DeviceKind::kVulkan);
    device.has_unified_memory = true;
    return device;
  }
  // What the host, the first and the second device are asked for and hold.
  Status check(std::array<Bytes, 3> asked, std::array<Bytes, 3> held = {}) const {
    std::vector<MemoryRequest> asks;
    for (DeviceIndex i = 0; i < 3; ++i)
      asks.push_back({i, asked[i], held[i], {.total = 1000, .free = 600, .ours = 50}});
    return check_fits_now(plan_, asks);
  }
  MemoryPlan plan_;
};

TEST_F(MemoryRequests, of_two_devices_and_the_host_are_one_sum) {
  EXPECT_TRUE(check({200, 200, 200}).ok());
  const Status refused = check({200, 201, 200});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message.text(),
            "gpu:0: asked for 201 B (201 bytes), cpu with the same memory for 200 B (200 bytes), gpu:1 with the same "
            "memory for 200 B (200 bytes), free 600 B (600 bytes); of 1000 B Headroom holds 150 B, other programs 250 "
            "B");
  plan_.devices[2].has_unified_memory = false;
  EXPECT_TRUE(check({200, 201, 200}).ok()) << "the third has memory of its own";
}

TEST_F(MemoryRequests, on_a_card_that_is_listed_twice_are_one_sum) {
  for (const DeviceIndex device : {1U, 2U}) {
    plan_.devices[device].has_unified_memory = false;
    plan_.devices[device].heap = "0000:01:00.0";
  }
  EXPECT_TRUE(check({600, 400, 200}).ok()) << "beside the host";
  const Status refused = check({600, 401, 200});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message.text(), HasSubstr("gpu:1 with the same memory for 200 B"));
  plan_.options.set_headroom(2, KeepFree{100});
  EXPECT_FALSE(check({0, 400, 200}).ok()) << "what one keeps free stays free";
}

TEST_F(MemoryRequests, are_held_to_the_rule_of_each) {
  for (DeviceIndex ruled = 0; ruled < 3; ++ruled) {
    plan_.options.devices = {{1}, {2}};
    plan_.options.set_headroom(ruled, KeepFree{100});
    EXPECT_TRUE(check({200, 100, 200}).ok()) << ruled;
    const Status kept = check({200, 101, 200});
    ASSERT_FALSE(kept.ok()) << ruled;
    EXPECT_THAT(kept.error().message.text(), AllOf(HasSubstr(plan_.devices[ruled].id + ": asked for"),
                                                   HasSubstr("of which 100 B are to stay free")));
    plan_.options.set_headroom(ruled, AtMost{400});
    EXPECT_TRUE(check({100, 100, 100}, {50, 25, 25}).ok()) << ruled;
    EXPECT_THAT(check({100, 101, 100}, {50, 25, 25}).error().message.text(), HasSubstr("100 B of them in use"))
        << ruled;
  }
}

TEST_F(MemoryRequests, have_what_any_device_of_the_pool_gives_back) {
  plan_.devices[2].has_unified_memory = false;
  std::vector<MemoryRequest> asks;
  for (const DeviceIndex device : {0U, 1U, 2U})
    asks.push_back({device, 0, 0, {.total = 1000, .free = 600, .ours = 50}});
  give_back(
      plan_, [](DeviceIndex device) { return Bytes{30} + device * 15; }, asks);
  EXPECT_EQ(asks[0].now.free, 600U + 30 + 45);
  EXPECT_EQ(asks[1].now.free, 600U + 30 + 45);
  EXPECT_EQ(asks[2].now.free, 600U + 50) << "not more than it counts as ours";
  give_back(plan_, [](DeviceIndex) { return Bytes{50}; }, {asks.data(), 1});
  EXPECT_EQ(asks[0].now.free, 675U + 100) << "also of a device that the plan does not use";
  for (int i = 0; i < 9; ++i)
    give_back(
        plan_, [](DeviceIndex) { return Bytes{50}; }, asks);
  EXPECT_EQ(asks[0].now.free, 1000U);
}

// --- the plan's verdict and the load's ---

TEST(MemoryRequestsOfPlans, that_fit_pass_the_check_before_a_load_and_of_those_that_do_not_some_device_is_named) {
  std::size_t n_fit = 0, n_short = 0, n_shared = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    test::Dice dice(seed);
    const ModelInfo model = test::random_model(seed);
    const test::Machine machine = test::random_machine(dice, model);
    const Result<MemoryPlan> plan = plan_memory(model, machine.devices, machine.options);
    if (!plan.ok()) continue;
    std::vector<MemoryRequest> asks;
    Bytes loading_alone = 0;
    for (const DeviceBudget& budget : plan->budgets) {
      const DeviceInfo& info = machine.devices[budget.device];
      asks.push_back({.device = budget.device,
                      .asked = budget.planned + budget.driver,
                      .now = {.total = info.total_bytes, .free = info.free_bytes}});
      loading_alone += saturating_sub(budget.loading, budget.planned);
      n_shared += budget.asked_by_sharers > 0 ? 1 : 0;
    }
    const Status checked = check_fits_now(*plan, asks);
    if (plan->fits()) {
      ASSERT_TRUE(checked.ok()) << "seed " << seed << ": " << checked.error().message.text();
      ++n_fit;
    } else if (loading_alone == 0) {
      ASSERT_FALSE(checked.ok()) << "seed " << seed;
      ++n_short;
    }
  }
  EXPECT_GT(n_fit, 100U);
  EXPECT_GT(n_short, 20U);
  EXPECT_GT(n_shared, 50U);
}

}  // namespace
}  // namespace headroom
