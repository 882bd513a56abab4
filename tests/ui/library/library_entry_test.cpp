#include "ui/library/library_entry.h"

#include <gtest/gtest.h>

#include "support/model_specs.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {
namespace {

using State = LibraryEntry::State;

LibraryEntry entryOf(const char* name, State state = State::Ready) {
  LibraryEntry entry;
  entry.folder = {FolderKind::User, "/disk/models"};
  entry.found.path = entry.found.canonical = QStringLiteral("/disk/models/%1.gguf").arg(QLatin1String(name));
  entry.found.name = QLatin1String(name);
  entry.found.bytes = 5 * kGiB;
  entry.state = state;
  if (state == State::Ready) entry.facts.model = std::make_shared<const ModelInfo>(test::make_model(test::kQwen3_8B));
  return entry;
}

TEST(LibraryEntry, the_quantization_is_what_the_name_of_the_file_says_else_the_type_of_most_weights) {
  for (const auto& [name, type] : std::map<const char*, const char*>{{"Qwen3-8B-Q4_K_M", "Q4_K_M"},
                                                                     {"gemma-3-27b-it-UD-Q4_K_XL", "UD-Q4_K_XL"},
                                                                     {"model.IQ4_XS", "IQ4_XS"},
                                                                     {"Llama-3.2-1B-Instruct-f16", "F16"},
                                                                     {"gpt-oss-20b-MXFP4", "MXFP4"},
                                                                     {"Big-Q8_0-00001-of-00002", "Q8_0"}})
    EXPECT_EQ(quantizationOf(entryOf(name)), type) << name;
  LibraryEntry entry = entryOf("anything");
  auto model = std::make_shared<ModelInfo>(*entry.facts.model);
  model->bytes_by_type = {{"Q5_K", 100}, {"F32", 1}};
  entry.facts.model = model;
  EXPECT_EQ(quantizationOf(entry), "Q5_K");
  EXPECT_EQ(quantizationOf(entryOf("IQ-test", State::Reading)), "");
}

TEST(LibraryEntry, the_badge_says_how_it_fits_or_why_that_is_not_known) {
  LibraryEntry entry = entryOf("a");
  entry.fit.kind = ModelFit::Kind::Whole;
  entry.fit.tokensPerSecond = 42;
  EXPECT_EQ(badgeText(entry), fitText(entry.fit));
  EXPECT_EQ(badgeTone(entry), Tone::Good);
  EXPECT_TRUE(entry.canLoad());
  entry.isOffline = true;
  EXPECT_EQ(badgeText(entry), "Offline");
  EXPECT_EQ(badgeTone(entry), Tone::Neutral);
  EXPECT_FALSE(entry.canLoad());
  EXPECT_FALSE(entry.isRemovable());
  LibraryEntry read = entryOf("a", State::Reading);
  EXPECT_EQ(badgeText(read), "Reading…");
  read.isGrowing = true;
  EXPECT_EQ(badgeText(read), badgeText(entryOf("a", State::Arriving))) << "it does not flicker";
  EXPECT_EQ(badgeText(entryOf("a", State::Incomplete)), "Incomplete");
  EXPECT_EQ(badgeTone(entryOf("a", State::Incomplete)), Tone::Warning);
  EXPECT_EQ(badgeText(entryOf("a", State::Arriving)), "Still being written");
  EXPECT_EQ(badgeText(entryOf("a", State::Refused)), "Cannot be read");
  LibraryEntry unsupported = entryOf("a", State::Refused);
  unsupported.facts.isUnsupported = true;
  EXPECT_EQ(badgeText(unsupported), "Not supported");
  for (const State state : {State::Reading, State::Incomplete, State::Arriving, State::Refused})
    EXPECT_FALSE(entryOf("a", state).canLoad());
}

TEST(LibraryEntry, a_refusal_is_the_sentence_that_opening_gives_without_the_path) {
  LibraryEntry entry = entryOf("mmproj", State::Refused);
  entry.facts.refusal = Message::plain("/disk/models/mmproj.gguf: holds the part of a model that reads images");
  EXPECT_EQ(explanation(entry), "Holds the part of a model that reads images.");
  EXPECT_TRUE(factsText(entry).contains("Holds the part of a model that reads images"));
  entry.facts.refusal = entry.facts.refusal.with_details(Message::plain("It needs more"));
  EXPECT_EQ(explanation(entry), "Holds the part of a model that reads images. It needs more.");
}

TEST(LibraryEntry, the_second_line_has_what_is_known) {
  LibraryEntry entry = entryOf("Qwen3-8B-Q4_K_M");
  EXPECT_EQ(factsText(entry),
            QStringLiteral("Q4_K_M · qwen3 · %1 · 5.00 GiB · context %2 · models")
                .arg(formatParameters(entry.facts.model->n_params), formatCount(entry.facts.model->n_ctx_trained)));
  entry.folder.kind = FolderKind::Ollama;
  EXPECT_TRUE(factsText(entry).endsWith(" · Ollama"));
  LibraryEntry split = entryOf("x", State::Incomplete);
  split.found.nParts = 3;
  split.found.nMissing = 2;
  EXPECT_TRUE(factsText(split).contains("2 of 3 parts missing")) << factsText(split).toStdString();
  EXPECT_EQ(explanation(split), "2 of 3 parts missing.");
}

TEST(LibraryEntry, all_words_of_a_search_must_occur_in_whatever_case) {
  const LibraryEntry entry = entryOf("Qwen3-8B-Instruct-Q4_K_M");
  for (const char* search : {"", "  ", "qwen3", "INSTRUCT q4_k", "8b qwen", "QWEN3 Q4_K_M instruct"})
    EXPECT_TRUE(matches(entry, QLatin1String(search))) << search;
  for (const char* search : {"llama", "qwen3 llama", "q8_0"})
    EXPECT_FALSE(matches(entry, QLatin1String(search))) << search;
}

TEST(LibraryEntry, orders_have_the_largest_the_newest_and_the_best_first_and_names_decide_ties) {
  LibraryEntry a = entryOf("a"), b = entryOf("B");
  for (const LibraryOrder order : {LibraryOrder::Name, LibraryOrder::Size, LibraryOrder::Newest, LibraryOrder::Fit}) {
    EXPECT_TRUE(standsBefore(a, b, order));
    EXPECT_FALSE(standsBefore(b, a, order));
  }
  b.found.bytes = 6 * kGiB;
  EXPECT_TRUE(standsBefore(b, a, LibraryOrder::Size));
  b.found.changedMs = 5;
  EXPECT_TRUE(standsBefore(b, a, LibraryOrder::Newest));
  b.fit.kind = ModelFit::Kind::Host;
  EXPECT_TRUE(standsBefore(b, a, LibraryOrder::Fit));
  EXPECT_TRUE(standsBefore(a, b, LibraryOrder::Name));
}

}  // namespace
}  // namespace headroom::ui
