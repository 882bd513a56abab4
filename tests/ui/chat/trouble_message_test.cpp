#include "ui/chat/trouble_message.h"

#include <gtest/gtest.h>

namespace headroom::ui {
namespace {

using Kind = Trouble::Kind;

Trouble troubleOf(Kind kind, const QString& deviceId = {}) {
  Trouble trouble;
  trouble.kind = kind;
  trouble.sentence = Sentence::plain("What is <wrong>.");
  trouble.deviceId = deviceId;
  return trouble;
}

QStringList offersOf(const Trouble& trouble) {
  QStringList names;
  for (const WayOut& way : troubleMessage(trouble, {}).waysOut) names.append(way.name);
  return names;
}

TEST(TroubleMessage, each_trouble_offers_its_ways_out) {
  const QStringList three{"dropOldest", "summarise", "largerContext"};
  for (const auto& [kind, ways] : {std::pair{Kind::ContextFull, three},
                                   {Kind::PromptTooLong, three},
                                   {Kind::AloneTooLong, QStringList{"largerContext"}},
                                   {Kind::Template, QStringList{"plainTemplate"}},
                                   {Kind::Failed, QStringList{}},
                                   {Kind::DeviceLost, QStringList{"loadAgain"}}}) {
    const Trouble trouble = troubleOf(kind);
    EXPECT_EQ(offersOf(trouble), ways) << static_cast<int>(kind);
    const BarMessage message = troubleMessage(trouble, {});
    EXPECT_EQ(message.sentence.text(), trouble.sentence.text());
    EXPECT_EQ(message.tone, kind == Kind::Failed || kind == Kind::DeviceLost ? Tone::Bad : Tone::Warning);
  }
}

TEST(TroubleMessage, a_gpu_that_failed_can_be_done_without) {
  EXPECT_EQ(offersOf(troubleOf(Kind::Failed, "cuda:0")), QStringList{"loadWithout"});
  EXPECT_EQ(offersOf(troubleOf(Kind::DeviceLost, "cuda:0")), (QStringList{"loadAgain", "loadWithout"}));
}

TEST(TroubleMessage, each_button_does_what_its_name_says) {
  QStringList done;
  const auto note = [&](const char* name) { return [&done, name] { done.append(name); }; };
  const TroubleWaysOut ways{note("dropOldest"),    note("summarise"), note("largerContext"),
                            note("plainTemplate"), note("loadAgain"), note("loadWithout")};
  QStringList names;
  for (const Kind kind : {Kind::ContextFull, Kind::Template, Kind::DeviceLost}) {
    for (const WayOut& way : troubleMessage(troubleOf(kind, "cuda:0"), ways).waysOut) {
      names.append(way.name);
      way.choose();
    }
  }
  EXPECT_EQ(done, names);
  names.removeDuplicates();
  EXPECT_EQ(names.size(), 6);
}

}  // namespace
}  // namespace headroom::ui
