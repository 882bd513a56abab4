// The public chat templates: every listed conversation gives exactly the listed text or error. They lie beside the
// repository, not in it.
#include <gtest/gtest.h>

#include "engine/text/template_cases.h"

namespace headroom {
namespace {

TEST(SharedTemplates, give_the_listed_texts_and_errors) {
  const std::filesystem::path folder = std::filesystem::path(HEADROOM_SHARED_DATA) / "chat-templates";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "no public chat templates at " << folder << " (HEADROOM_SHARED_DATA)";
  const auto cases = testing_support::read_template_cases(folder);
  ASSERT_GT(cases.size(), 60U);
  for (const auto& each : cases) {
    const auto parsed = ChatTemplate::parse(each.source);
    ASSERT_TRUE(parsed) << each.name << ": " << parsed.error().message;
    const auto rendered = parsed->render(each.inputs);
    if (each.is_error) {
      ASSERT_FALSE(rendered) << each.name;
      EXPECT_EQ(rendered.error().code, ErrorCode::kUsage) << each.name;
      EXPECT_EQ(rendered.error().message, each.error) << each.name;
    } else {
      ASSERT_TRUE(rendered) << each.name << ": " << rendered.error().message;
      EXPECT_EQ(*rendered, each.text) << each.name;
    }
  }
}

}  // namespace
}  // namespace headroom
