#include "verdict_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "file/replace_file.h"
#include "prove/prove_device.h"

namespace headroom {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;
constexpr std::array<std::pair<Verdict::Kind, const char*>, 3> kKinds{
    {{Verdict::Kind::kRunning, "running"}, {Verdict::Kind::kPassed, "passed"}, {Verdict::Kind::kFailed, "failed"}}};
constexpr const char* kNoEnd = "the check began and did not end: the program that made it, or the machine, stopped";

std::string key_of(const DeviceInfo& device) {
  return fmt::format("{}|{}|{}", device_kind_name(device.kind), device.proof_key, kProofNumber);
}

// Of a key: the driver's kind and the card, without what may change.
std::string_view card_of(std::string_view key) { return key.substr(0, key.find('|', key.find('|') + 1)); }

std::string text(const Json& entry, const char* name) {
  const auto found = entry.find(name);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<Verdict> read_verdict(const Json& entry) {
  if (!entry.is_object()) return std::nullopt;
  const std::string name = text(entry, "verdict");
  const auto* kind = std::ranges::find_if(kKinds, [&](const auto& each) { return each.second == name; });
  if (kind == kKinds.end()) return std::nullopt;
  Verdict verdict;
  verdict.kind = kind->first;
  verdict.device = text(entry, "device");
  verdict.what_failed = text(entry, "what_failed");
  verdict.process = text(entry, "process");
  if (const auto at = entry.find("at"); at != entry.end() && at->is_number_integer())
    verdict.at = at->get<std::int64_t>();
  if (const auto seconds = entry.find("seconds"); seconds != entry.end() && seconds->is_number())
    verdict.seconds = seconds->get<double>();
  if (const auto before = entry.find("before"); before != entry.end()) {
    const std::optional<Verdict> known = read_verdict(*before);
    if (known && known->kind != Verdict::Kind::kRunning) verdict.before = std::make_shared<const Verdict>(*known);
  }
  return verdict;
}

Json verdict_json(const Verdict& verdict) {
  const auto* kind = std::ranges::find(kKinds, verdict.kind, &std::pair<Verdict::Kind, const char*>::first);
  Json json{{"verdict", kind->second}, {"device", verdict.device}, {"at", verdict.at}, {"seconds", verdict.seconds}};
  if (!verdict.what_failed.empty()) json["what_failed"] = verdict.what_failed;
  if (!verdict.process.empty()) json["process"] = verdict.process;
  if (verdict.before) json["before"] = verdict_json(*verdict.before);
  return json;
}

}  // namespace

// Its start, in ticks since the machine's, is the 22nd field; the second is a name in brackets that may hold anything.
std::string process_mark(std::int64_t pid) {
  constexpr int kStartField = 20;  // of those behind the name
  std::ifstream stream(fmt::format("/proc/{}/stat", pid));
  const std::string line{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return {};
  std::size_t at = name_end + 1;
  for (int i = 1; i < kStartField && at != std::string::npos; ++i) at = line.find(' ', at + 1);
  if (at == std::string::npos) return {};
  return fmt::format("{} of {}", pid, line.substr(at + 1, line.find(' ', at + 1) - at - 1));
}

VerdictStore::Entries VerdictStore::parse(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const Json json = Json::parse(stream, nullptr, false);
  Entries entries;
  if (!json.is_object() || json.value("version", Json()) != Json(kVersion)) return entries;
  const auto cards = json.find("devices");
  if (cards == json.end() || !cards->is_object()) return entries;
  for (const auto& [key, found] : cards->items()) {
    if (std::optional<Verdict> verdict = read_verdict(found)) entries[key] = std::move(*verdict);
  }
  return entries;
}

VerdictStore VerdictStore::read(std::filesystem::path file) {
  VerdictStore store;
  store.file_ = std::move(file);
  store.entries_ = parse(store.file_);
  return store;
}

std::optional<Verdict> VerdictStore::find(const DeviceInfo& device) const {
  const auto found = entries_.find(key_of(device));
  if (found == entries_.end()) return std::nullopt;
  Verdict verdict = found->second;
  const std::string& process = verdict.process;
  const bool is_over = verdict.kind == Verdict::Kind::kRunning &&
                       (process.empty() || process_mark(std::strtoll(process.c_str(), nullptr, 10)) != process);
  if (is_over && verdict.before) return *verdict.before;
  if (is_over) {
    verdict.kind = Verdict::Kind::kFailed;
    verdict.what_failed = kNoEnd;
  }
  return verdict;
}

void VerdictStore::fill(std::span<DeviceInfo> devices) const {
  for (DeviceInfo& device : devices) {
    if (!device.is_present || device.proof == Proof::kNotNeeded) continue;
    const std::optional<Verdict> verdict = find(device);
    device.proof = Proof::kMissing;
    device.proof_note.clear();
    if (!verdict) continue;
    switch (verdict->kind) {
      case Verdict::Kind::kRunning: device.proof = Proof::kRunning; break;
      case Verdict::Kind::kPassed: device.proof = Proof::kPassed; break;
      case Verdict::Kind::kFailed:
        device.proof = Proof::kFailed;
        device.proof_note = verdict->what_failed;
        break;
    }
  }
}

std::vector<DeviceInfo> VerdictStore::end_interrupted(std::span<const DeviceInfo> devices) {
  std::vector<DeviceInfo> ended;
  for (const DeviceInfo& device : devices) {
    const auto found = entries_.find(key_of(device));
    if (found == entries_.end() || found->second.kind != Verdict::Kind::kRunning) continue;
    Verdict now = *find(device);
    if (now.kind == Verdict::Kind::kRunning) continue;
    const bool is_first = found->second.before == nullptr;
    now.process.clear();
    put(device, std::move(now));
    if (is_first) ended.push_back(device);
  }
  return ended;
}

void VerdictStore::put_running(const DeviceInfo& device) {
  const std::optional<Verdict> known = find(device);
  std::shared_ptr<const Verdict> before;
  if (known) before = known->kind == Verdict::Kind::kRunning ? known->before : std::make_shared<const Verdict>(*known);
  put(device, {.kind = Verdict::Kind::kRunning,
               .device = device.name,
               .what_failed = {},
               .process = process_mark(::getpid()),
               .before = std::move(before)});
}

void VerdictStore::take_back_running(const DeviceInfo& device) {
  const auto found = entries_.find(key_of(device));
  if (found == entries_.end() || found->second.kind != Verdict::Kind::kRunning) return;  // others have judged meanwhile
  const std::shared_ptr<const Verdict> before = found->second.before;
  before ? put(device, *before) : forget(device);
}

void VerdictStore::put(const DeviceInfo& device, Verdict verdict) {
  forget(device);
  verdict.device = device.name;
  verdict.what_failed = without_id(device, std::move(verdict.what_failed));
  entries_[key_of(device)] = std::move(verdict);
}

// With it go verdicts of the same card with other drivers and kernels.
void VerdictStore::forget(const DeviceInfo& device) {
  changed_.insert(key_of(device));
  std::erase_if(entries_, [card = card_of(key_of(device))](const auto& entry) { return card_of(entry.first) == card; });
}

Status VerdictStore::write() const {
  Entries all = parse(file_);
  for (const std::string& key : changed_) {
    std::erase_if(all, [&](const auto& entry) { return card_of(entry.first) == card_of(key); });
    if (const auto found = entries_.find(key); found != entries_.end()) all[key] = found->second;
  }
  Json devices = Json::object();
  for (const auto& [key, verdict] : all) devices[key] = verdict_json(verdict);
  // Names come from drivers: bytes that are not UTF-8 become the replacement character.
  const std::string text =
      Json{{"version", kVersion}, {"devices", devices}}.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  return replace_file(file_, std::as_bytes(std::span(text)));
}

std::string without_id(const DeviceInfo& device, std::string what) {
  const std::string begin = device.id + ": ";
  return what.starts_with(begin) ? what.substr(begin.size()) : what;
}

std::vector<DeviceInfo> devices_to_prove(std::span<const DeviceInfo> devices) {
  std::vector<DeviceInfo> found;
  std::ranges::copy_if(devices, std::back_inserter(found), [](const DeviceInfo& device) {
    return device.is_present && !device.is_software && device.proof == Proof::kMissing;
  });
  return found;
}

}  // namespace headroom
