#include "backend/gpu_memory/drm_clients.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "base/number_file.h"

namespace headroom {
namespace {

constexpr std::streamsize kMostInfoBytes = 16 * 1024;  // drivers write one or two KiB

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// "23992 KiB", "16 MiB", "0".
std::optional<Bytes> parse_amount(std::string_view text) {
  const std::size_t space = text.find(' ');
  const std::optional<std::uint64_t> number = parse_whole_number(text.substr(0, space));
  if (!number || space == std::string_view::npos) return number;
  const std::string_view unit = trimmed(text.substr(space));
  if (unit == "KiB") return checked_mul(*number, kKiB);
  if (unit == "MiB") return checked_mul(*number, kMiB);
  return std::nullopt;
}

// A region by its name: the card's own memory (vram of amdgpu, vram0 of xe, local0 of i915), the host's that is mapped
// for it (gtt, system, system0), or neither (cpu, stolen, gds).
enum class Place { kDevice, kHost, kNeither };
Place place_of(std::string_view region) {
  if (region.starts_with("vram") || region.starts_with("local")) return Place::kDevice;
  if (region == "gtt" || region.starts_with("system")) return Place::kHost;
  return Place::kNeither;
}

// How a region's bytes are told, the better way last: all that was asked for, the older key, what is really there.
constexpr std::array<std::string_view, 3> kWays{"drm-total-", "drm-memory-", "drm-resident-"};

struct Told {
  std::size_t way = 0;
  Bytes bytes = 0;
};

std::optional<Bytes> sum_of(const std::map<std::string_view, Told>& regions, Place place) {
  std::optional<Bytes> sum = 0;
  for (const auto& [region, told] : regions) {
    if (sum && place_of(region) == place) sum = checked_add(*sum, told.bytes);
  }
  return sum;
}

// Adds the clients of one process on a card that are not in `counted` yet; absent stays what nothing tells of.
void add_clients(const std::filesystem::path& process, const PciAddress& card, std::set<std::uint64_t>& counted,
                 std::optional<ClientUse>& sum) {
  std::error_code none;
  // A process may end at any moment: what is gone is skipped.
  for (std::filesystem::directory_iterator at(process / "fd", none), end; !none && at != end; at.increment(none)) {
    std::error_code unreadable;
    const std::filesystem::path target = std::filesystem::read_symlink(at->path(), unreadable);
    if (unreadable || !target.native().starts_with("/dev/dri/")) continue;
    std::ifstream file(process / "fdinfo" / at->path().filename());
    std::string text(static_cast<std::size_t>(kMostInfoBytes), '\0');
    file.read(text.data(), kMostInfoBytes);
    text.resize(static_cast<std::size_t>(file.gcount()));
    const std::optional<DrmClient> client = parse_drm_client(text);
    if (!client || client->card != card || !counted.insert(client->id).second) continue;
    const ClientUse before = sum.value_or(ClientUse{});
    const std::optional<Bytes> device = checked_add(before.device, client->use.device),
                               host = checked_add(before.host, client->use.host),
                               evicted = checked_add(before.evicted, client->use.evicted);
    if (device && host && evicted) sum = {*device, *host, *evicted};
  }
}

std::optional<ClientUse> own_clients(const std::filesystem::path& proc, const PciAddress& card,
                                     std::set<std::uint64_t>& counted) {
  std::optional<ClientUse> sum;
  add_clients(proc / "self", card, counted, sum);
  return sum;
}

}  // namespace

std::optional<DrmClient> parse_drm_client(std::string_view fdinfo) {
  DrmClient client;
  std::optional<PciAddress> card;
  std::optional<std::uint64_t> id;
  std::map<std::string_view, Told> regions;
  while (!fdinfo.empty()) {
    const std::size_t end = std::min(fdinfo.find('\n'), fdinfo.size());
    const std::string_view line = fdinfo.substr(0, end);
    fdinfo.remove_prefix(std::min(end + 1, fdinfo.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    if (key == "drm-pdev") card = parse_pci_address(value);
    if (key == "drm-client-id") id = parse_whole_number(value);
    if (key == "amd-evicted-vram") client.use.evicted = parse_amount(value).value_or(0);
    for (std::size_t way = 0; way < kWays.size(); ++way) {
      if (!key.starts_with(kWays[way])) continue;
      const std::string_view region = key.substr(kWays[way].size());
      const std::optional<Bytes> bytes = parse_amount(value);
      if (!bytes || place_of(region) == Place::kNeither) continue;
      Told& told = regions[region];
      if (way >= told.way) told = {way, *bytes};
    }
  }
  const std::optional<Bytes> device = sum_of(regions, Place::kDevice), host = sum_of(regions, Place::kHost);
  if (!card || !id || regions.empty() || !device || !host) return std::nullopt;
  client.card = *card;
  client.id = *id;
  client.use.device = *device;
  client.use.host = *host;
  return client;
}

std::optional<ClientUse> own_drm_clients(const std::filesystem::path& proc, const PciAddress& card) {
  std::set<std::uint64_t> counted;
  return own_clients(proc, card, counted);
}

std::optional<ClientUse> other_drm_clients(const std::filesystem::path& proc, const PciAddress& card) {
  std::set<std::uint64_t> counted;
  (void)own_clients(proc, card, counted);  // so that they are not counted again under this process's number
  std::optional<ClientUse> sum;
  std::error_code none;
  for (std::filesystem::directory_iterator at(proc, none), end; !none && at != end; at.increment(none)) {
    const std::string name = at->path().filename().string();
    if (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos)
      add_clients(at->path(), card, counted, sum);
  }
  return sum;
}

std::optional<ClientUse> OtherDrmClients::on(const PciAddress& card) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  const auto found = seen_.find(card);
  if (found != seen_.end() && now - found->second.at < kept_) return found->second.use;
  return (seen_[card] = {now, other_drm_clients(proc_, card)}).use;
}

}  // namespace headroom
