// The simulated device itself: which ones a setting asks for, whose memory it is, what may touch it, what can go wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "backend/reference/reference_arena.h"
#include "backend/reference/reference_backend.h"
#include "format/dtype_table.h"
#include "support/plans.h"

namespace headroom {
namespace {

DeviceInfo info_of(const char* setting) { return reference_devices(setting)->front(); }

std::unique_ptr<Backend> make(const std::shared_ptr<ReferenceDevice>& device) {
  return std::move(make_reference_backend(info_of("1MiB"), device)).value();
}

std::shared_ptr<ReferenceDevice> device_of(Bytes total) {
  return std::make_shared<ReferenceDevice>("reference:0", total);
}

TEST(ReferenceDevice, allocates_at_most_what_it_says_at_once) {
  const auto device = device_of(kMiB);
  DeviceInfo info = info_of("1MiB");
  info.max_arena_bytes = 128 * kKiB;
  const auto backend = std::move(make_reference_backend(info, device)).value();
  EXPECT_TRUE(backend->map_arena(test::arena_of(128 * kKiB)).ok());
  const auto refused = backend->map_arena(test::arena_of(192 * kKiB));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kResource);
  EXPECT_EQ(refused.error().message.text(),
            "reference:0: asked for 192 KiB (196608 bytes) at once, expected at most 128 KiB (131072 bytes)");
  EXPECT_EQ(device->sample().ours, 0U);
}

TEST(ReferenceDevices, are_numbered_in_the_order_of_the_setting) {
  const auto devices = reference_devices("512MiB,256MiB");
  ASSERT_TRUE(devices.ok());
  ASSERT_EQ(devices->size(), 2U);
  EXPECT_EQ((*devices)[0].id, "reference:0");
  EXPECT_EQ((*devices)[1].id, "reference:1");
  EXPECT_EQ((*devices)[1].name, "Reference device 1 (for tests)");
  EXPECT_EQ((*devices)[0].total_bytes, 512 * kMiB);
  EXPECT_EQ((*devices)[1].free_bytes, 256 * kMiB);
  for (const DeviceInfo& device : *devices) {
    EXPECT_EQ(device.kind, DeviceKind::kReference);
    EXPECT_TRUE(device.is_present && device.driver_measured);
    for (const DTypeRow& row : kDTypes) {
      const bool is_listed =
          std::find(device.kv_types.begin(), device.kv_types.end(), row.dtype) != device.kv_types.end();
      EXPECT_EQ(is_listed, row.is_kv) << row.name;
    }
  }
}

TEST(ReferenceDevices, of_a_setting_that_is_no_list_of_sizes_are_refused_by_name) {
  for (const char* setting : {"x", "", "512", ",", "512MiB,", "512MiB,,1GiB", "0MiB", "512 MB", "-1MiB"}) {
    const auto devices = reference_devices(setting);
    if (std::string(setting) == "512") {  // plain bytes
      EXPECT_TRUE(devices.ok());
      continue;
    }
    ASSERT_FALSE(devices.ok()) << setting;
    EXPECT_EQ(devices.error().code, ErrorCode::kUsage);
    EXPECT_EQ(devices.error().message.text(),
              std::string("HEADROOM_REFERENCE_DEVICE: expected sizes such as 512MiB or 512MiB,256MiB, found \"") +
                  setting + "\"");
  }
}

TEST(ReferenceDevices, of_one_id_are_one_device) {
  const auto first = shared_reference_device("reference:test", 10 * kMiB);
  const auto again = shared_reference_device("reference:test", 20 * kMiB);
  EXPECT_EQ(first, again);
  EXPECT_EQ(first->sample().total, 20 * kMiB);
  EXPECT_NE(first, shared_reference_device("reference:other", kMiB));
}

TEST(ReferenceArena, says_what_it_mapped_and_gives_no_address) {
  const auto device = device_of(kMiB);
  const auto backend = make(device);
  const auto arena = backend->map_arena(test::arena_of(128 * kKiB));
  ASSERT_TRUE(arena.ok());
  EXPECT_EQ((*arena)->mapped_bytes(), 128 * kKiB);
  EXPECT_EQ((*arena)->host_address(), nullptr);
  EXPECT_EQ(backend->n_allocations(), 1U);
}

TEST(ReferenceArena, is_reached_by_the_host_where_it_is_page_locked_and_by_copies_everywhere) {
  const auto device = device_of(kMiB);
  const auto backend = make(device);
  ArenaPlan plan = test::arena_of(64 * kKiB);
  const auto closed = backend->map_arena(plan);
  plan.memory = Memory::kPageLocked;
  const auto from = backend->map_arena(plan), to = backend->map_arena(plan);
  ASSERT_TRUE(closed.ok() && from.ok() && to.ok());
  (*from)->host_address()[3] = std::byte{7};
  ASSERT_TRUE(backend->copy_bytes({from->get(), 0, closed->get(), kKiB, 8}).ok());
  ASSERT_TRUE(backend->copy_bytes({closed->get(), kKiB, to->get(), 16, 8}).ok());
  EXPECT_EQ((*to)->host_address()[19], std::byte{7});
}

TEST(ReferenceArena, ends_the_process_of_whoever_touches_it_from_outside) {
  const auto device = device_of(kMiB);
  const auto backend = make(device);
  const auto arena = backend->map_arena(test::arena_of(64 * kKiB));
  ASSERT_TRUE(arena.ok());
  const auto* ours = dynamic_cast<const ReferenceArena*>(arena->get());
  ASSERT_NE(ours, nullptr);
  volatile std::byte* at = ours->device_address();
  const auto read = [&] { return std::to_integer<int>(*at); };
  const auto write = [&] { *at = std::byte{1}; };
  const auto by_fault = [](int status) {  // a sanitizer reports the fault and ends the process itself
    return (WIFSIGNALED(status) && (WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS)) ||
           (WIFEXITED(status) && WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 97);
  };
  EXPECT_EXIT(std::_Exit(read() == 0 ? 97 : 97), by_fault, "");
  EXPECT_EXIT((write(), std::_Exit(97)), by_fault, "");
  // Cleared by its backend, it is as closed as before.
  ASSERT_TRUE(backend->clear_arena(**arena, {}, [](Bytes) {}).ok());
  EXPECT_EXIT(std::_Exit(read() == 0 ? 97 : 97), by_fault, "");
}

TEST(ReferenceArena, can_be_reached_while_it_is_open) {
  const auto device = device_of(kMiB);
  const auto arena = ReferenceArena::map(device, test::arena_of(64 * kKiB));
  ASSERT_TRUE(arena.ok());
  ReferenceArena* pointer = arena->get();
  {
    const OpenArenas open({&pointer, 1});
    ASSERT_TRUE(open.status().ok());
    EXPECT_EQ(pointer->device_address()[100], std::byte{0});
    pointer->device_address()[100] = std::byte{7};
  }
  const OpenArenas open({&pointer, 1});
  EXPECT_EQ(pointer->device_address()[100], std::byte{7});
}

TEST(ReferenceMemory, is_not_given_beyond_its_size) {
  const auto device = device_of(kMiB);
  const auto backend = make(device);
  auto first = backend->map_arena(test::arena_of(640 * kKiB));
  ASSERT_TRUE(first.ok());
  const auto second = backend->map_arena(test::arena_of(448 * kKiB));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kResource);
  EXPECT_EQ(second.error().message.text(),
            "reference:0: asked for 448 KiB (458752 bytes), free 384 KiB (393216 bytes)");
  EXPECT_EQ(backend->n_allocations(), 1U);
  first->reset();
  EXPECT_TRUE(backend->map_arena(test::arena_of(448 * kKiB)).ok());
}

TEST(ReferenceMemory, is_of_the_device_whatever_backend_maps_it) {
  const auto device = device_of(kMiB);
  const auto one = make(device), other = make(device);
  const auto arena = one->map_arena(test::arena_of(640 * kKiB));
  ASSERT_TRUE(arena.ok());
  EXPECT_FALSE(other->map_arena(test::arena_of(448 * kKiB)).ok());
  const auto now = other->sample_memory();
  ASSERT_TRUE(now.ok());
  EXPECT_EQ(now->total, kMiB);
  EXPECT_EQ(now->free, 384 * kKiB);
  EXPECT_EQ(now->ours, 640 * kKiB);
  EXPECT_EQ(other->n_allocations(), 0U);
}

TEST(ReferenceMemory, that_another_program_takes_is_not_free) {
  const auto device = device_of(kMiB);
  const auto backend = make(device);
  device->faults().taken = 768 * kKiB;
  EXPECT_EQ(backend->sample_memory()->free, 256 * kKiB);
  EXPECT_EQ(backend->sample_memory()->ours, 0U);
  EXPECT_FALSE(backend->map_arena(test::arena_of(320 * kKiB)).ok());
  device->faults().taken = 4 * kMiB;  // more than there is
  EXPECT_EQ(backend->sample_memory()->free, 0U);
}

TEST(ReferenceMemory, is_refused_at_the_call_that_a_test_names) {
  const auto device = device_of(kMiB);
  const auto backend = make(device);
  device->faults().map_arena = 2;
  EXPECT_TRUE(backend->map_arena(test::arena_of(64 * kKiB)).ok());
  const auto refused = backend->map_arena(test::arena_of(64 * kKiB));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kResource);
  EXPECT_EQ(refused.error().message.text(),
            "reference:0: asked for 64.0 KiB (65536 bytes), free 1.00 MiB (1048576 bytes), refused by the device");
  EXPECT_TRUE(backend->map_arena(test::arena_of(64 * kKiB)).ok());
}

TEST(ReferenceMemory, is_cleared_in_pieces_that_can_be_stopped) {
  const auto device = device_of(8 * kMiB);
  const auto backend = make(device);
  const auto arena = backend->map_arena(test::arena_of(3 * kMiB + 64 * kKiB));
  ASSERT_TRUE(arena.ok());
  Bytes done = 0;
  ASSERT_TRUE(backend->clear_arena(**arena, {}, [&](Bytes bytes) { done += bytes; }).ok());
  EXPECT_EQ(done, 3 * kMiB + 64 * kKiB);
  StopSource source;
  done = 0;
  const auto stopped = backend->clear_arena(**arena, source.token(), [&](Bytes bytes) {
    done += bytes;
    source.request_stop();
  });
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(done, kMiB);
}

TEST(ReferenceBackend, is_of_a_reference_device_only) {
  const auto refused = make_reference_backend(make_cpu_device("a CPU", kMiB, kMiB, 1), device_of(kMiB));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message.text(), "cpu: expected a reference device, found one of kind cpu");
}

TEST(ReferenceBackend, that_is_bound_to_nothing_says_so) {
  const auto backend = make(device_of(kMiB));
  const auto refused = backend->submit({}, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message.text(), "reference:0: submit() before bind()");
  EXPECT_EQ(backend->copy_state(0, 0, 0, {}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(backend->host_view(0), nullptr);
}

}  // namespace
}  // namespace headroom
