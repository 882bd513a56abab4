#include "backend/gpu_memory/pci_address.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/number_file.h"

namespace headroom {
namespace {

std::filesystem::path pci_devices(const std::filesystem::path& sys) { return sys / "bus/pci/devices"; }

}  // namespace

std::string pci_text(const PciAddress& address) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", address.domain, address.bus, address.device, address.function);
}

std::optional<PciAddress> parse_pci_address(std::string_view text) {
  PciAddress address;
  const std::array<std::uint32_t*, 4> fields{&address.domain, &address.bus, &address.device, &address.function};
  constexpr std::string_view kEnds = "::.";
  const char* at = text.data();
  const char* const last = text.data() + text.size();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto [end, error] = std::from_chars(at, last, *fields[i], 16);
    if (error != std::errc()) return std::nullopt;
    const bool is_last = i == kEnds.size();
    if (is_last ? end != last : end == last || *end != kEnds[i]) return std::nullopt;
    at = is_last ? end : end + 1;
  }
  return address;
}

std::filesystem::path pci_folder(const std::filesystem::path& sys, const PciAddress& address) {
  return pci_devices(sys) / pci_text(address);
}

std::optional<PciAddress> find_pci_card(const std::filesystem::path& sys, std::uint32_t vendor, std::uint32_t device) {
  std::optional<PciAddress> found;
  std::error_code none;
  for (std::filesystem::directory_iterator at(pci_devices(sys), none), end; !none && at != end; at.increment(none)) {
    if (read_number_file(at->path() / "vendor") != vendor || read_number_file(at->path() / "device") != device)
      continue;
    if (found) return std::nullopt;
    found = parse_pci_address(at->path().filename().string());
  }
  return found;
}

}  // namespace headroom
