#include "prove_in_child.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>

#include "base/overloaded.h"
#include "child_process.h"
#include "proof_lines.h"

namespace headroom {
namespace {

constexpr std::chrono::milliseconds kBetweenStops{50};

using Kind = ProofOfChild::Kind;

std::string joined(const std::vector<std::string>& sentences) {
  std::string all;
  for (const std::string& sentence : sentences) all += (all.empty() ? "" : "; ") + sentence;
  return all;
}

ProofOfChild end_of(const ProofReport& report) {
  if (report.failures.empty()) return {Kind::kPassed, {}, report.seconds};
  return {Kind::kFailed, joined(report.failures), report.seconds};
}

std::string while_doing(const std::string& what) { return what.empty() ? "" : " at " + what; }

// What is kept of it; none where there is no judgement.
std::optional<Verdict> verdict_of(const ProofOfChild& proof, std::int64_t now) {
  if (proof.kind == Kind::kNoJudgement) return std::nullopt;
  Verdict verdict;
  verdict.kind = proof.kind == Kind::kPassed ? Verdict::Kind::kPassed : Verdict::Kind::kFailed;
  verdict.what_failed = proof.what;
  verdict.at = now;
  verdict.seconds = proof.seconds;
  return verdict;
}

}  // namespace

ProofOfChild prove_in_child(const std::vector<std::string>& command, std::chrono::milliseconds silence,
                            const StopToken& stop, const std::function<void(const ProofProgress&)>& tell) {
  Result<ChildProcess> child = ChildProcess::start(command);
  if (!child) return {Kind::kNoJudgement, child.error().message.text()};
  std::string doing;
  std::optional<ProofOfChild> found;
  std::chrono::milliseconds silent{0};
  for (;;) {
    ChildProcess::Event event = child->wait(std::min(kBetweenStops, silence));
    if (stop.stop_requested()) return {Kind::kNoJudgement, "the check was stopped"};
    if (const auto* line = std::get_if<ChildProcess::Line>(&event)) {
      silent = std::chrono::milliseconds(0);
      const std::optional<ProofLine> read = read_proof_line(line->text);
      if (!read) continue;  // of a library that writes there
      std::visit(Overloaded{[&](const ProofProgress& progress) {
                              doing = progress.what;
                              tell(progress);
                            },
                            [&](const ProofReport& report) { found = end_of(report); },
                            [&](const NoJudgement& none) {
                              found = ProofOfChild{Kind::kNoJudgement, none.why};
                            }},
                 *read);
    } else if (std::holds_alternative<ChildProcess::Silence>(event)) {
      silent += std::min(kBetweenStops, silence);
      if (silent < silence) continue;
      if (found) return *found;  // a driver that does not let go at its end
      return {Kind::kFailed,
              fmt::format("the driver has not come back for {} s{}", silence.count() / 1000, while_doing(doing))};
    } else {
      const auto& end = std::get<ChildProcess::End>(event);
      if (found) return *found;
      if (end.signal != 0) {
        return {Kind::kFailed, fmt::format("the driver crashed ({}){}", ::strsignal(end.signal), while_doing(doing))};
      }
      return {Kind::kFailed, fmt::format("the check ended with {} and no result{}", end.status, while_doing(doing))};
    }
  }
}

ProofOfChild prove_and_keep(const std::filesystem::path& verdict_file, const DeviceInfo& device,
                            const std::vector<std::string>& command, const StopToken& stop,
                            const std::function<void(const ProofProgress&)>& tell) {
  VerdictStore store = VerdictStore::read(verdict_file);
  store.put_running(device);
  (void)store.write();
  ProofOfChild proof = prove_in_child(command, device.is_software ? kSoftwareProofSilence : kProofSilence, stop, tell);
  proof.what = without_id(device, std::move(proof.what));
  store = VerdictStore::read(verdict_file);  // as it is now: the device may have been lost to an answer meanwhile
  if (std::optional<Verdict> verdict = verdict_of(proof, std::time(nullptr))) {
    store.put(device, std::move(*verdict));
  } else {
    store.take_back_running(device);
  }
  (void)store.write();
  return proof;
}

}  // namespace headroom
