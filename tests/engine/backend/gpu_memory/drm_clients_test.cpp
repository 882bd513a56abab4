#include "backend/gpu_memory/drm_clients.h"

#include <gtest/gtest.h>

#include "engine/backend/gpu_memory/fake_machine.h"

namespace headroom {
namespace {

using test::kCard, test::kOtherCard;

TEST(DrmClient, of_amdgpu_what_is_resident_counts_and_what_was_evicted) {
  const auto client = parse_drm_client(test::amdgpu_client(12, 1000, 300, 24));
  ASSERT_TRUE(client);
  EXPECT_EQ(client->card, kCard);
  EXPECT_EQ(client->id, 12U);
  EXPECT_EQ(client->use, (ClientUse{1000 * kKiB, 300 * kKiB, 24 * kKiB}));
}

TEST(DrmClient, of_an_older_amdgpu_its_only_key_counts) {
  const auto client = parse_drm_client(test::fdinfo_of(
      "amdgpu", kCard, 3, "drm-memory-vram:\t2048 KiB\ndrm-memory-gtt: \t1 MiB\ndrm-memory-cpu: \t9 KiB\n"));
  ASSERT_TRUE(client);
  EXPECT_EQ(client->use, (ClientUse{2 * kMiB, kMiB, 0}));
}

TEST(DrmClient, of_xe_and_i915_are_their_regions_without_what_firmware_took) {
  const auto xe = parse_drm_client(test::fdinfo_of(
      "xe", kCard, 3,
      "drm-total-gtt:\t192 KiB\ndrm-resident-gtt:\t192 KiB\ndrm-total-vram0:\t16 MiB\ndrm-shared-vram0:\t16 MiB\n"
      "drm-resident-vram0:\t23992 KiB\ndrm-resident-vram1:\t8 KiB\ndrm-total-vram0:\t50 MiB\n"
      "drm-resident-stolen:\t4096\ndrm-resident-system:\t0\n"));
  ASSERT_TRUE(xe);
  EXPECT_EQ(xe->use, (ClientUse{24000 * kKiB, 192 * kKiB, 0}));
  const auto i915 = parse_drm_client(
      test::fdinfo_of("i915", kCard, 4,
                      "drm-total-system0:\t6044 KiB\ndrm-resident-system0:\t2048 KiB\ndrm-total-local0:\t512 MiB\n"
                      "drm-resident-stolen-system0:\t7 MiB\ndrm-resident-stolen-local0:\t8 MiB\n"));
  ASSERT_TRUE(i915);
  EXPECT_EQ(i915->use, (ClientUse{512 * kMiB, 2048 * kKiB, 0})) << "what is resident, else what was asked for";
}

TEST(DrmClient, a_text_without_card_number_or_memory_is_none) {
  EXPECT_FALSE(parse_drm_client(""));
  EXPECT_FALSE(parse_drm_client("pos:\t0\nflags:\t02\n")) << "another kind of file";
  EXPECT_FALSE(parse_drm_client(test::fdinfo_of("i915", kCard, 3, ""))) << "before Linux 6.8";
  EXPECT_FALSE(parse_drm_client("drm-client-id:\t1\ndrm-resident-vram:\t1 KiB\n")) << "of no card";
  EXPECT_FALSE(parse_drm_client("drm-pdev:\t0000:03:00.0\ndrm-resident-vram:\t1 KiB\n"))
      << "its duplicates could not be told from others";
}

TEST(DrmClient, figures_that_are_none_count_as_not_told) {
  for (const char* garbage : {"-1", "many", "1 GB", "1 kB", "18446744073709551615 KiB", "99999999999999999999", ""}) {
    const auto client =
        parse_drm_client(test::fdinfo_of("amdgpu", kCard, 1,
                                         "drm-resident-vram:\t" + std::string(garbage) + "\namd-evicted-vram:\t" +
                                             garbage + "\ndrm-memory-vram:\t8 KiB\n"));
    ASSERT_TRUE(client) << garbage;
    EXPECT_EQ(client->use, (ClientUse{8 * kKiB, 0, 0})) << garbage;
  }
  EXPECT_FALSE(parse_drm_client(test::fdinfo_of(
      "xe", kCard, 1, "drm-resident-vram0:\t18446744073709551615\ndrm-resident-vram1:\t18446744073709551615\n")))
      << "a sum beyond 64 bits";
}

TEST(DrmClients, of_this_process_are_its_openings_of_the_card_each_once) {
  const test::FakeMachine machine;
  EXPECT_EQ(own_drm_clients(machine.proc(), kCard), std::nullopt) << "a system that does not tell";
  machine.open("self", 0, "/dev/null", test::amdgpu_client(9, 1));
  EXPECT_EQ(own_drm_clients(machine.proc(), kCard), std::nullopt) << "no file of a card";
  machine.open_card("self", 3, test::amdgpu_client(12, 1000, 1, 7));
  machine.open_card("self", 4, test::amdgpu_client(12, 1000, 1, 7));
  machine.open_card("self", 5, test::amdgpu_client(13, 24, 0, 1));
  machine.open_card("self", 6, test::amdgpu_client(14, 500, 0, 0, kOtherCard));
  machine.open_card("self", 7, std::nullopt);
  machine.open_card("self", 8, "garbage\n:::\n");
  EXPECT_EQ(own_drm_clients(machine.proc(), kCard), (ClientUse{1024 * kKiB, kKiB, 8 * kKiB}));
  EXPECT_EQ(own_drm_clients(machine.proc(), kOtherCard), (ClientUse{500 * kKiB, 0, 0}));
}

TEST(DrmClients, of_others_are_those_that_are_seen_and_not_ours) {
  const test::FakeMachine machine;
  machine.open_card("self", 3, test::amdgpu_client(12, 1000));
  machine.open_card("100", 3, test::amdgpu_client(12, 1000));  // this process under its number
  EXPECT_EQ(other_drm_clients(machine.proc(), kCard), std::nullopt);
  machine.open_card("200", 3, test::amdgpu_client(20, 300));
  machine.open_card("200", 4, test::amdgpu_client(20, 300));
  machine.open_card("300", 9, test::amdgpu_client(20, 300));  // that was passed to another program
  machine.open_card("300", 10, test::amdgpu_client(30, 24));
  machine.open_card("not-a-process", 1, test::amdgpu_client(40, 1));
  machine.open_card("400", 1, std::nullopt);                    // that closes it just now
  std::filesystem::create_directories(machine.proc() / "500");  // that ended, or is another user's
  test::write_file(machine.proc() / "600" / "fd", "not even a folder");
  EXPECT_EQ(other_drm_clients(machine.proc(), kCard), (ClientUse{324 * kKiB, 0, 0}));
}

TEST(DrmClients, of_others_are_not_looked_at_for_every_reading) {
  const test::FakeMachine machine;
  OtherDrmClients kept(std::chrono::hours(1), machine.proc()), fresh(std::chrono::milliseconds(0), machine.proc());
  machine.open_card("200", 3, test::amdgpu_client(20, 300));
  for (OtherDrmClients* others : {&kept, &fresh}) EXPECT_EQ(others->on(kCard)->device, 300 * kKiB);
  machine.open_card("200", 4, test::amdgpu_client(21, 100));
  EXPECT_EQ(kept.on(kCard)->device, 300 * kKiB);
  EXPECT_EQ(fresh.on(kCard)->device, 400 * kKiB);
  EXPECT_EQ(kept.on(kOtherCard), std::nullopt) << "another card is another look";
}

}  // namespace
}  // namespace headroom
