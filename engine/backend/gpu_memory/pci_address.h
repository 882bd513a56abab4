// The address of a card on the PCI bus: the name by which the kernel and all drivers know the same card.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace headroom {

inline constexpr const char* kSysFolder = "/sys";

struct PciAddress {
  std::uint32_t domain = 0, bus = 0, device = 0, function = 0;
  auto operator<=>(const PciAddress&) const = default;
};

std::string pci_text(const PciAddress& address);                     // "0000:03:00.0"
std::optional<PciAddress> parse_pci_address(std::string_view text);  // absent for anything else

// The kernel's folder of a card; `sys` is /sys, or a test's folder.
std::filesystem::path pci_folder(const std::filesystem::path& sys, const PciAddress& address);

// The card with these ids; absent when there is none, or several.
std::optional<PciAddress> find_pci_card(const std::filesystem::path& sys, std::uint32_t vendor, std::uint32_t device);

}  // namespace headroom
