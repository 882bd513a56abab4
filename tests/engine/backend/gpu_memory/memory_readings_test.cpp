#include "backend/gpu_memory/memory_readings.h"

#include <gmock/gmock.h>

namespace headroom {
namespace {

using ::testing::HasSubstr;

// A card of 8 GiB with 2 GiB of ours and 1 GiB of others, of which its driver tells in every way.
MemoryReadings all_told() {
  MemoryReadings readings;
  readings.heap_bytes = 8 * kGiB;
  readings.device_arena_bytes = 2 * kGiB;
  readings.budget = ProcessBudget{7 * kGiB, 2 * kGiB + 100 * kMiB};
  readings.device = DeviceUse{8 * kGiB, 3 * kGiB + 100 * kMiB, "amdgpu"};
  readings.own_clients = ClientUse{2 * kGiB + 100 * kMiB, 64 * kMiB, 0};
  return readings;
}

// Whatever the figures are, the parts stay within the whole.
void expect_adds_up(const MemorySample& sample) {
  EXPECT_LE(sample.ours, sample.total);
  EXPECT_LE(sample.free, sample.total - sample.ours);
  EXPECT_LE(sample.account.others.value_or(0), sample.total - sample.ours - sample.free);
}

MemorySample sample_of(const MemoryReadings& readings) {
  MemorySample sample = sample_own_memory(readings);
  expect_adds_up(sample);
  return sample;
}

TEST(OwnMemory, others_hold_what_the_device_uses_less_ours) {
  const MemorySample sample = sample_of(all_told());
  EXPECT_EQ(sample.total, 8 * kGiB);
  EXPECT_EQ(sample.ours, 2 * kGiB + 100 * kMiB) << "with the driver's share";
  EXPECT_EQ(sample.account.others, 1 * kGiB);
  EXPECT_EQ(sample.free, 5 * kGiB - 100 * kMiB);
  EXPECT_EQ(sample.account.spilled, 0U);
  EXPECT_EQ(sample.account.confidence, MemoryConfidence::kMeasured);
  EXPECT_EQ(sample.account.doubt, "");
}

TEST(OwnMemory, what_a_driver_does_not_offer_is_not_free_and_not_of_others) {
  MemoryReadings readings = all_told();
  readings.budget->budget = 6 * kGiB;
  const MemorySample sample = sample_of(readings);
  EXPECT_EQ(sample.free, 4 * kGiB - 100 * kMiB);
  EXPECT_EQ(sample.account.others, 1 * kGiB);
}

TEST(OwnMemory, nvml_without_clients_takes_ours_from_the_budget) {
  MemoryReadings readings = all_told();
  readings.own_clients.reset();
  readings.device = DeviceUse{8 * kGiB - 300 * kMiB, 3 * kGiB, "NVML"};
  const MemorySample sample = sample_of(readings);
  EXPECT_EQ(sample.total, 8 * kGiB - 300 * kMiB) << "what is reserved nobody can have";
  EXPECT_EQ(sample.account.others, 1 * kGiB - 100 * kMiB);
  EXPECT_EQ(sample.account.confidence, MemoryConfidence::kMeasured);
}

TEST(OwnMemory, what_was_pushed_out_is_spilled_and_not_here) {
  MemoryReadings readings = all_told();
  readings.own_clients = ClientUse{kGiB + 100 * kMiB, kGiB, kGiB};
  readings.device->value().used = 8 * kGiB;
  const MemorySample sample = sample_of(readings);
  EXPECT_EQ(sample.account.spilled, 1 * kGiB);
  EXPECT_EQ(sample.ours, kGiB + 100 * kMiB);
  EXPECT_EQ(sample.free, 0U);
  EXPECT_EQ(sample.account.confidence, MemoryConfidence::kMeasured) << "spilling is no contradiction";
  readings.own_clients->evicted = 5 * kGiB;
  EXPECT_EQ(sample_of(readings).account.spilled, 2 * kGiB) << "no more than was there";
  readings.device_arena_bytes = 0;
  EXPECT_EQ(sample_of(readings).account.spilled, 0U) << "nothing of a model";
}

TEST(OwnMemory, without_a_count_of_the_device_the_budget_estimates) {
  MemoryReadings readings = all_told();
  readings.device.reset();
  const MemorySample sample = sample_of(readings);
  EXPECT_EQ(sample.account.others, 1 * kGiB);
  EXPECT_EQ(sample.free, 5 * kGiB - 100 * kMiB);
  EXPECT_EQ(sample.account.confidence, MemoryConfidence::kEstimated);
  EXPECT_THAT(sample.account.doubt, HasSubstr("what this program may use"));
  readings.other_clients = ClientUse{2 * kGiB, 0, 0};
  EXPECT_EQ(sample_of(readings).account.others, 2 * kGiB) << "a budget that knows nothing of others: i915";
  EXPECT_EQ(sample_of(readings).free, 4 * kGiB - 100 * kMiB);
}

TEST(OwnMemory, without_a_budget_what_is_seen_of_others_is_the_least_that_they_hold) {
  MemoryReadings readings = all_told();
  readings.device.reset();
  readings.budget.reset();
  readings.other_clients = ClientUse{2 * kGiB, kGiB, 0};
  const MemorySample sample = sample_of(readings);
  EXPECT_EQ(sample.account.others, 2 * kGiB);
  EXPECT_EQ(sample.free, 4 * kGiB - 100 * kMiB);
  EXPECT_EQ(sample.account.confidence, MemoryConfidence::kEstimated);
  EXPECT_THAT(sample.account.doubt, HasSubstr("Only programs of this user are seen"));
}

TEST(OwnMemory, beside_the_arenas_is_the_drivers) {
  MemoryReadings readings = all_told();
  EXPECT_EQ(sample_of(readings).account.driver, 100 * kMiB);
  readings.own_clients = ClientUse{kGiB + 100 * kMiB, kGiB, kGiB};
  EXPECT_EQ(sample_of(readings).account.driver, 100 * kMiB) << "whatever was pushed out";
  readings.own_clients.reset();
  readings.budget.reset();
  EXPECT_EQ(sample_of(readings).account.driver, std::nullopt) << "nothing tells";
  readings.device_arena_bytes = 0;
  EXPECT_EQ(sample_of(readings).account.driver, 0U) << "nothing of ours is there";
}

TEST(OwnMemory, that_nothing_tells_is_the_arenas_and_what_the_driver_was_seen_to_take) {
  MemoryReadings readings = all_told();
  readings.driver_bytes = 100 * kMiB;
  EXPECT_EQ(sample_of(readings).account.doubt, "") << "it is told";
  readings.own_clients.reset();
  readings.budget.reset();
  const MemorySample sample = sample_of(readings);
  EXPECT_EQ(sample.ours, 2 * kGiB + 100 * kMiB);
  EXPECT_EQ(sample.account.driver, 100 * kMiB);
  EXPECT_EQ(sample.account.others, 1 * kGiB);
  EXPECT_EQ(sample.account.confidence, MemoryConfidence::kEstimated);
  EXPECT_THAT(sample.account.doubt, HasSubstr("taken for the 100 MiB by which more was in use"));
  readings.device.reset();
  EXPECT_EQ(sample_of(readings).account.confidence, MemoryConfidence::kAssumed);
  EXPECT_EQ(sample_of(readings).free, 6 * kGiB - 100 * kMiB);
}

TEST(OwnMemory, where_nothing_tells_all_that_is_not_ours_is_taken_for_free) {
  MemoryReadings readings;
  readings.heap_bytes = 8 * kGiB;
  readings.device_arena_bytes = 2 * kGiB;
  const MemorySample sample = sample_of(readings);
  EXPECT_EQ(sample.ours, 2 * kGiB);
  EXPECT_EQ(sample.free, 6 * kGiB);
  EXPECT_EQ(sample.account.others, std::nullopt);
  EXPECT_EQ(sample.account.confidence, MemoryConfidence::kAssumed);
  EXPECT_THAT(sample.account.doubt, HasSubstr("taken for free"));
}

struct Contradiction {
  const char* name;
  void (*tell)(MemoryReadings&);
  const char* said;
  MemoryConfidence confidence;
  Bytes ours, free;
};

const Bytes kOurs = 2 * kGiB + 100 * kMiB, kLeft = 5 * kGiB - 100 * kMiB;
const std::vector<Contradiction> kContradictions{
    {"more_in_use_than_there_is",
     [](MemoryReadings& r) {
       r.device = DeviceUse{8 * kGiB, 9 * kGiB, "amdgpu"};
     },
     "amdgpu counts 9.00 GiB in use of 8.00 GiB", MemoryConfidence::kEstimated, kOurs, kLeft},
    {"nothing_in_use_where_something_is_held",
     [](MemoryReadings& r) {
       r.device = DeviceUse{8 * kGiB, 0, "NVML"};
     },
     "NVML counts 0 B in use, of which this program alone holds 2.10 GiB", MemoryConfidence::kEstimated, kOurs, kLeft},
    {"less_in_use_than_ours",
     [](MemoryReadings& r) {
       r.device = DeviceUse{8 * kGiB, kGiB, "NVML"};
     },
     "NVML counts 1.00 GiB in use", MemoryConfidence::kEstimated, kOurs, kLeft},
    {"a_device_of_another_size",
     [](MemoryReadings& r) {
       r.device = DeviceUse{80 * kGiB, 9 * kGiB, "NVML"};
     },
     "NVML tells of a device with 80.0 GiB, its driver of one with 8.00 GiB", MemoryConfidence::kEstimated, kOurs,
     kLeft},
    {"a_device_of_no_size",
     [](MemoryReadings& r) {
       r.device = DeviceUse{0, 0, "amdgpu"};
     },
     "amdgpu tells of a device with 0 B", MemoryConfidence::kEstimated, kOurs, kLeft},
    {"a_count_that_is_missing",
     [](MemoryReadings& r) {
       r.device = Result<DeviceUse>(Error{ErrorCode::kResource, Message::plain("NVML: it could not be opened")});
     },
     "NVML: it could not be opened. ", MemoryConfidence::kEstimated, kOurs, kLeft},
    {"a_budget_of_nothing",
     [](MemoryReadings& r) {
       r.budget = ProcessBudget{0, 0};
     },
     "the driver offers none of the device's 8.00 GiB", MemoryConfidence::kEstimated, kOurs, kLeft},
    {"a_budget_with_more_than_there_is",
     [](MemoryReadings& r) {
       r.budget = ProcessBudget{7 * kGiB, 9 * kGiB};
     },
     "the driver counts 9.00 GiB for this program on a device with 8.00 GiB", MemoryConfidence::kEstimated, kOurs,
     kLeft},
    {"less_of_ours_than_our_arenas",
     [](MemoryReadings& r) {
       r.own_clients = ClientUse{kGiB, 0, 0};
     },
     "the driver counts 1.00 GiB for this program, which holds 2.00 GiB", MemoryConfidence::kEstimated, 2 * kGiB,
     5 * kGiB - 100 * kMiB},
    {"more_of_ours_than_the_device",
     [](MemoryReadings& r) {
       r.own_clients = ClientUse{kGiB, 0, ~Bytes{0}};
     },
     "for this program on a device with 8.00 GiB", MemoryConfidence::kEstimated, kOurs, kLeft},
    {"everything_at_once",
     [](MemoryReadings& r) {
       r.device = DeviceUse{8 * kGiB, 9 * kGiB, "amdgpu"};
       r.budget = ProcessBudget{0, ~Bytes{0}};
       r.own_clients = ClientUse{~Bytes{0}, 0, 0};
     },
     "amdgpu counts 9.00 GiB in use of 8.00 GiB", MemoryConfidence::kAssumed, 2 * kGiB, 6 * kGiB},
};

TEST(OwnMemory, a_contradiction_is_left_aside_said_and_lowers_the_confidence) {
  for (const Contradiction& row : kContradictions) {
    SCOPED_TRACE(row.name);
    MemoryReadings readings = all_told();
    row.tell(readings);
    const MemorySample sample = sample_of(readings);
    EXPECT_EQ(sample.account.confidence, row.confidence);
    EXPECT_THAT(sample.account.doubt, HasSubstr(row.said));
    EXPECT_EQ(sample.account.spilled, 0U);
    EXPECT_EQ(sample.ours, row.ours);
    EXPECT_EQ(sample.free, row.free);
  }
}

TEST(OwnMemory, a_client_that_tells_0_is_unknown_and_no_contradiction) {
  MemoryReadings readings = all_told();
  readings.own_clients = ClientUse{0, 0, 0};
  EXPECT_EQ(sample_of(readings).ours, 2 * kGiB + 100 * kMiB) << "the budget tells";
  EXPECT_EQ(sample_of(readings).account.doubt, "");
  readings.budget.reset();
  EXPECT_EQ(sample_of(readings).ours, 2 * kGiB) << "our arenas do";
  EXPECT_EQ(sample_of(readings).account.doubt, "");
}

TEST(OwnMemory, figures_of_two_moments_may_differ_a_little) {
  MemoryReadings readings = all_told();
  readings.device->value().used = 2 * kGiB + 90 * kMiB;
  readings.own_clients->device = 2 * kGiB - 10 * kMiB;
  const MemorySample sample = sample_of(readings);
  EXPECT_EQ(sample.account.confidence, MemoryConfidence::kMeasured) << sample.account.doubt;
  EXPECT_EQ(sample.ours, 2 * kGiB) << "never less than our arenas";
}

TEST(OwnMemory, no_figures_at_all_break_the_sum) {
  const std::vector<Bytes> values{0, 1, kGiB, 8 * kGiB, ~Bytes{0} / 2, ~Bytes{0}};
  for (const Bytes a : values) {
    for (const Bytes b : values) {
      for (const Bytes c : values) {
        MemoryReadings readings;
        readings.heap_bytes = a;
        readings.device_arena_bytes = b;
        readings.budget = ProcessBudget{c, b};
        readings.device = DeviceUse{b, c, "x"};
        readings.own_clients = ClientUse{c, b, a};
        readings.other_clients = ClientUse{b, c, a};
        expect_adds_up(sample_own_memory(readings));
        readings.own_clients.reset();
        expect_adds_up(sample_own_memory(readings));
        readings.driver_bytes = c;
        expect_adds_up(sample_own_memory(readings));
        const MemorySample host{c, std::min(b, c), 0};
        expect_adds_up(sample_shared_memory(host, readings));
      }
    }
  }
}

// Of 16 GiB with 10 free an APU's driver offers 12; 512 MiB of ours are there.
struct Apu {
  MemorySample host{16 * kGiB, 10 * kGiB, kGiB};
  MemoryReadings readings;
  Apu() {
    readings.heap_bytes = 12 * kGiB;
    readings.device_arena_bytes = 512 * kMiB;
    readings.host_arena_bytes = 64 * kMiB;
    readings.own_clients = ClientUse{256 * kMiB, 400 * kMiB, 300 * kMiB};
    readings.device = DeviceUse{16 * kGiB + 512 * kMiB, 2 * kGiB, "amdgpu"};
  }
};

TEST(SharedMemory, carve_out_and_mapped_memory_are_one_pool_and_nothing_spills) {
  const Apu apu;
  const MemorySample sample = sample_shared_memory(apu.host, apu.readings);
  expect_adds_up(sample);
  EXPECT_EQ(sample.total, 12 * kGiB);
  EXPECT_EQ(sample.ours, (256 + 400 - 64) * kMiB) << "both parts, without what is page-locked for copies";
  EXPECT_EQ(sample.free, 10 * kGiB) << "the host's";
  EXPECT_EQ(sample.account.spilled, 0U);
  EXPECT_EQ(sample.account.confidence, MemoryConfidence::kMeasured);
}

TEST(SharedMemory, no_more_is_free_than_host_driver_and_pool_have) {
  Apu apu;
  apu.host.free = 3 * kGiB;
  EXPECT_EQ(sample_shared_memory(apu.host, apu.readings).free, 3 * kGiB);
  apu.host.free = 15 * kGiB;
  EXPECT_EQ(sample_shared_memory(apu.host, apu.readings).free, 12 * kGiB - 592 * kMiB);
  apu.readings.device->value().used = 16 * kGiB;
  EXPECT_EQ(sample_shared_memory(apu.host, apu.readings).free, 512 * kMiB) << "another program has the rest mapped";
}

TEST(SharedMemory, a_contradiction_leaves_the_hosts_figures_and_lowers_the_confidence) {
  for (const DeviceUse& lie : {DeviceUse{kGiB, 2 * kGiB, "amdgpu"}, DeviceUse{16 * kGiB, 0, "amdgpu"}}) {
    Apu apu;
    apu.readings.device = lie;
    const MemorySample sample = sample_shared_memory(apu.host, apu.readings);
    EXPECT_EQ(sample.free, 10 * kGiB);
    EXPECT_EQ(sample.account.confidence, MemoryConfidence::kEstimated);
    EXPECT_THAT(sample.account.doubt, HasSubstr("amdgpu counts"));
  }
  Apu apu;
  apu.readings.own_clients = ClientUse{~Bytes{0}, 1, 0};
  EXPECT_EQ(sample_shared_memory(apu.host, apu.readings).ours, 512 * kMiB);
  EXPECT_THAT(sample_shared_memory(apu.host, apu.readings).account.doubt, HasSubstr("for this program"));
  apu = {};
  apu.readings.device = Result<DeviceUse>(Error{ErrorCode::kResource, Message::plain("mem_info_gtt_used is missing")});
  EXPECT_THAT(sample_shared_memory(apu.host, apu.readings).account.doubt, HasSubstr("mem_info_gtt_used is missing."));
}

TEST(SharedMemory, without_any_driver_that_tells_it_is_the_hosts) {
  Apu apu;
  apu.readings.own_clients.reset();
  apu.readings.device.reset();
  const MemorySample sample = sample_shared_memory(apu.host, apu.readings);
  EXPECT_EQ(sample.ours, 512 * kMiB);
  EXPECT_EQ(sample.free, 10 * kGiB);
  EXPECT_EQ(sample.account.confidence, MemoryConfidence::kMeasured);
}

TEST(DriverShare, is_what_our_clients_grew_by_beside_the_arenas) {
  MemoryReadings before = all_told(), after = before;
  after.device_arena_bytes += 64 * kMiB;
  after.own_clients->device += (64 + 150) * kMiB;
  after.device->value().used += kGiB;  // another program began
  after.budget->usage += (64 + 20) * kMiB;
  EXPECT_EQ(driver_share(before, after, false), 150 * kMiB);
  before.own_clients.reset();
  after.own_clients = ClientUse{(64 + 160) * kMiB, 0, 0};
  before.device_arena_bytes = 0;
  after.device_arena_bytes = 64 * kMiB;
  EXPECT_EQ(driver_share(before, after, false), 160 * kMiB) << "the card was not opened before";
}

TEST(DriverShare, without_clients_is_what_the_device_grew_by_or_the_budget) {
  MemoryReadings before = all_told();
  before.own_clients.reset();
  MemoryReadings after = before;
  after.device->value().used += 90 * kMiB;
  after.budget->usage += 20 * kMiB;
  EXPECT_EQ(driver_share(before, after, false), 90 * kMiB);
  after.budget->usage += 100 * kMiB;
  EXPECT_EQ(driver_share(before, after, false), 120 * kMiB);
  before.device.reset();
  EXPECT_EQ(driver_share(before, after, false), 120 * kMiB);
  after.device = Result<DeviceUse>(Error{ErrorCode::kResource, Message::plain("gone")});
  EXPECT_EQ(driver_share(before, after, false), 120 * kMiB);
}

TEST(DriverShare, of_shared_memory_is_of_both_parts_and_of_our_clients_alone) {
  Apu apu;
  MemoryReadings after = apu.readings;
  after.own_clients->host += (32 + 40) * kMiB;
  after.host_arena_bytes += 32 * kMiB;
  after.device->value().used += kGiB;
  EXPECT_EQ(driver_share(apu.readings, after, true), 40 * kMiB);
  after.own_clients = apu.readings.own_clients;
  after.host_arena_bytes = apu.readings.host_arena_bytes;
  EXPECT_EQ(driver_share(apu.readings, after, true), std::nullopt) << "that may be anybody's";
}

TEST(DriverShare, is_unknown_where_nothing_grew_or_half_of_the_device_did) {
  const MemoryReadings before = all_told();
  EXPECT_EQ(driver_share(before, before, false), std::nullopt);
  EXPECT_EQ(driver_share({}, {}, false), std::nullopt);
  MemoryReadings after = before;
  after.own_clients->device = kGiB;
  EXPECT_EQ(driver_share(before, after, false), std::nullopt) << "it shrank";
  after.own_clients->device = 7 * kGiB;
  EXPECT_EQ(driver_share(before, after, false), std::nullopt);
  after.own_clients->device = ~Bytes{0};
  EXPECT_EQ(driver_share(before, after, false), std::nullopt);
}

}  // namespace
}  // namespace headroom
