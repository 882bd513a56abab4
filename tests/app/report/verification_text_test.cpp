#include "report/verification_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/verified.h"

namespace headroom {
namespace {

using testing::HasSubstr;
constexpr VerifyProcess kAlone = VerifyProcess::kEngineAlone;

TEST(VerificationText, what_is_as_planned_is_one_clause_with_both_sums) {
  EXPECT_EQ(verificationVerdict(test::verified_as_planned(), kAlone),
            "as planned: 5.00 GiB planned, 5.00 GiB mapped, nothing allocated since load");
}

TEST(VerificationText, each_difference_names_its_object_what_was_expected_and_what_was_found) {
  Verification found = test::verified_as_planned();
  found.devices[1].mapped_bytes += 4 * kKiB;
  found.grown.n_arenas = 1;
  found.n_full_slots = 1;
  found.refuses_longer_prompt = false;
  found.grown_by_answers = {.driver = 2 * kMiB, .heap = 3 * kMiB, .mapped = 4 * kMiB};
  const std::string text = verificationVerdict(found, kAlone);
  EXPECT_THAT(text, testing::StartsWith("not as planned: cpu: 1.00 GiB planned, 1.00 GiB mapped (1073741824 and "
                                        "1073745920 bytes); 1 allocation since load; 1 of 2 slots"));
  EXPECT_THAT(text, HasSubstr("a prompt of 4097 tokens was taken, the context holds 4096"));
  EXPECT_THAT(text, HasSubstr("drivers grew by 2.00 MiB over the answers, at most 1.00 MiB is allowed"));
  EXPECT_THAT(text, HasSubstr("the heap grew by 3.00 MiB"));
  EXPECT_THAT(text, HasSubstr("mappings grew by 4.00 MiB"));
}

TEST(VerificationText, the_table_has_every_device_and_every_depth) {
  const std::string text = verificationText(test::verified_as_planned(), kAlone);
  for (const char* part :
       {"cuda:0", "cpu", "300 MiB measured", "280 MiB", "prompt of 2012", "512.0", "answer at 0", "answer at 2044",
        "answer at 4056", "42.5", "44.0", "growth over 100 answers", "took 61.5 s"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_EQ(text.back(), '\n');
}

TEST(VerificationText, scripts_read_figures_as_numbers_and_what_is_unknown_as_null) {
  const nlohmann::ordered_json json = verificationJson(test::verified_as_planned(), kAlone);
  EXPECT_EQ(json["as_planned"], true);
  EXPECT_TRUE(json["differences"].empty());
  EXPECT_EQ(json["devices"][0]["planned_bytes"], 4 * kGiB);
  EXPECT_EQ(json["devices"][1]["most_driver_bytes"], nullptr);
  EXPECT_EQ(json["speeds"][1]["predicted_tokens_per_s"], nullptr);
  EXPECT_EQ(json["speeds"][2]["depth"], 4056);
  EXPECT_EQ(json["taken_after_load"]["arenas"], 0);
  Verification found = test::verified_as_planned();
  found.grown.n_arenas = 2;
  const nlohmann::ordered_json other = verificationJson(found, kAlone);
  EXPECT_EQ(other["as_planned"], false);
  EXPECT_EQ(other["differences"][0]["kind"], "allocated");
  EXPECT_EQ(other["differences"][0]["found"], 2);
}

}  // namespace
}  // namespace headroom
