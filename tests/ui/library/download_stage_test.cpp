#include "ui/library/download_stage.h"

#include <gtest/gtest.h>

#include "base/overloaded.h"
#include "support/written_lines.h"

namespace headroom::ui {
namespace {

using namespace download_stage;

constexpr quint64 kNow = 7;  // the run that is under way; 5 is older, 9 is newer
constexpr RetryRule kRule{3, 100};

std::vector<std::pair<std::string, DownloadStage>> downloadStages() {
  const Sentence why = Sentence::plain("why");
  return {{"Queued", Queued{}},
          {"AskingSpace", AskingSpace{kNow, 0}},
          {"AskingSpace again", AskingSpace{kNow, 3}},
          {"Running", Running{kNow, 0}},
          {"Running again", Running{kNow, 2}},
          {"Waiting", Waiting{2, why, 200}},
          {"Paused", Paused{}},
          {"Paused by a full disk", Paused{why}},
          {"Verifying", Verifying{kNow}},
          {"Done", Done{}},
          {"Failed", Failed{why, false}}};
}

std::vector<std::pair<std::string, DownloadEvent>> downloadEvents() {
  namespace e = download_event;
  std::vector<std::pair<std::string, DownloadEvent>> all{{"its turn", e::Turn{9}},
                                                         {"wait over", e::WaitOver{9}},
                                                         {"pause", e::PauseAsked{}},
                                                         {"resume", e::ResumeAsked{}}};
  for (const quint64 run : {quint64{5}, kNow}) {
    const std::string of = " of " + std::to_string(run);
    all.insert(
        all.end(),
        {{"space" + of, e::SpaceFound{run}}, {"bytes" + of, e::BytesCame{run}}, {"verify" + of, e::VerifyBegan{run}}});
    const std::pair<const char*, TransferEnd::Kind> ends[] = {
        {"done", TransferEnd::Kind::Done},        {"stopped", TransferEnd::Kind::Stopped},
        {"cut", TransferEnd::Kind::Cut},          {"asked to wait", TransferEnd::Kind::AskedToWait},
        {"token", TransferEnd::Kind::NeedsToken}, {"no space", TransferEnd::Kind::NoSpace},
        {"refused", TransferEnd::Kind::Refused},  {"checksum", TransferEnd::Kind::WrongChecksum}};
    for (const auto& [name, kind] : ends)
      all.push_back({name + of,
                     e::Ended{run, {kind, Sentence::plain("end"), kind == TransferEnd::Kind::AskedToWait ? 5000 : 0}}});
  }
  return all;
}

std::string describe(const DownloadStage& stage) {
  return std::visit(
      Overloaded{
          [](const Queued&) -> std::string { return "Queued"; },
          [](const AskingSpace& s) {
            return "AskingSpace " + std::to_string(s.run) + " after " + std::to_string(s.nTries);
          },
          [](const Running& s) { return "Running " + std::to_string(s.run) + " after " + std::to_string(s.nTries); },
          [](const Waiting& s) {
            return "Waiting after " + std::to_string(s.nTries) + " for " + s.sentence.text().toStdString() + ", " +
                   std::to_string(s.ms) + " ms";
          },
          [](const Paused& s) { return "Paused " + s.sentence.text().toStdString(); },
          [](const Verifying& s) { return "Verifying " + std::to_string(s.run); },
          [](const Done&) -> std::string { return "Done"; },
          [](const Failed& s) {
            return "Failed " + s.sentence.text().toStdString() + (s.needsToken ? ", needs a token" : "");
          }},
      stage);
}

std::string describe(const DownloadEffect& effect) {
  namespace e = download_effect;
  return std::visit(Overloaded{[](const e::StartTransfer& s) { return "start " + std::to_string(s.run); },
                               [](const e::StopTransfer&) -> std::string { return "stop"; },
                               [](const e::StartWaiting& s) { return "wait " + std::to_string(s.ms) + " ms"; },
                               [](const e::StopWaiting&) -> std::string { return "stop waiting"; },
                               [](const e::TellDone&) -> std::string { return "tell done"; }},
                    effect);
}

TEST(DownloadStage, every_event_in_every_state_does_what_the_table_says) {
  std::vector<std::string> rows;
  for (const auto& [name, stage] : downloadStages()) {
    for (const auto& [eventName, event] : downloadEvents()) {
      DownloadStage next = stage;
      std::string row = name + " + " + eventName + " -> ";
      const std::vector<DownloadEffect> effects = react(next, event, kRule);
      row += describe(next) == describe(stage) ? "same" : describe(next);
      for (const DownloadEffect& effect : effects) row += "; " + describe(effect);
      rows.push_back(row);
    }
  }
  test::expectWrittenLines(rows, HEADROOM_SOURCE_DIR "/tests/ui/library/download_stage_table.txt");
}

TEST(DownloadStage, a_connection_that_brings_nothing_is_given_up_and_one_that_brings_something_is_not) {
  DownloadStage stage = Queued{};
  react(stage, download_event::Turn{1}, kRule);
  for (quint64 run = 1; run <= 20; ++run) {
    react(stage, download_event::SpaceFound{run}, kRule);
    react(stage, download_event::BytesCame{run}, kRule);
    react(stage, download_event::Ended{run, {TransferEnd::Kind::Cut, {}, 0}}, kRule);
    ASSERT_TRUE(std::holds_alternative<Waiting>(stage));
    react(stage, download_event::WaitOver{run + 1}, kRule);
  }
  for (quint64 run = 21; run <= 23; ++run) {
    react(stage, download_event::Ended{run, {TransferEnd::Kind::Cut, {}, 0}}, kRule);
    react(stage, download_event::WaitOver{run + 1}, kRule);
  }
  react(stage, download_event::Ended{24, {TransferEnd::Kind::Cut, {}, 0}}, kRule);
  EXPECT_TRUE(std::holds_alternative<Failed>(stage));
}

}  // namespace
}  // namespace headroom::ui
