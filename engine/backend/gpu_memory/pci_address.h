// Where a card is in this machine: the name under which the kernel and all drivers know it.
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

// Where the kernel tells of a card; `sys` is /sys, or a test's.
std::filesystem::path pci_folder(const std::filesystem::path& sys, const PciAddress& address);

// The card with these ids; absent when there is none, or several.
std::optional<PciAddress> find_pci_card(const std::filesystem::path& sys, std::uint32_t vendor, std::uint32_t device);

}  // namespace headroom
