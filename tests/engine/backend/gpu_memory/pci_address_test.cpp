#include "backend/gpu_memory/pci_address.h"

#include <gtest/gtest.h>

#include "engine/backend/gpu_memory/fake_machine.h"

namespace headroom {
namespace {

TEST(PciAddress, is_read_as_it_is_written) {
  const PciAddress address{0x10000, 0xc3, 0x1f, 7};
  EXPECT_EQ(pci_text(address), "10000:c3:1f.7");
  EXPECT_EQ(parse_pci_address("10000:c3:1f.7"), address);
  EXPECT_EQ(parse_pci_address("0000:03:00.0"), test::kCard);
  for (const char* text : {"", "0000", "0000:03", "0000:03:00", "0000:03:00.", "0000:03:00.0 ", "0000:03:00:0",
                           "0000.03:00.0", "0000:zz:00.0", ":03:00.0", "100000000:03:00.0"})
    EXPECT_EQ(parse_pci_address(text), std::nullopt) << text;
}

TEST(PciAddress, a_card_is_found_by_its_ids_unless_it_has_a_twin) {
  const test::FakeMachine machine;
  EXPECT_EQ(find_pci_card(machine.sys(), 0x1002, 0x73ff), std::nullopt) << "a machine without such files";
  machine.set(test::kCard, "vendor", "0x1002");
  machine.set(test::kCard, "device", "0x73ff");
  machine.set(test::kOtherCard, "vendor", "0x1002");
  machine.set(test::kOtherCard, "device", "0x744c");
  EXPECT_EQ(find_pci_card(machine.sys(), 0x1002, 0x73ff), test::kCard);
  EXPECT_EQ(find_pci_card(machine.sys(), 0x10de, 0x73ff), std::nullopt);
  machine.set(test::kOtherCard, "device", "0x73ff");
  EXPECT_EQ(find_pci_card(machine.sys(), 0x1002, 0x73ff), std::nullopt) << "either could be meant";
}

}  // namespace
}  // namespace headroom
