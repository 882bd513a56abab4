#include "resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace headroom {
namespace {

using testing::HasSubstr;

class Resources : public testing::Test {
 protected:
  void SetUp() override { unsetenv("HEADROOM_RESOURCES"); }
  void TearDown() override { unsetenv("HEADROOM_RESOURCES"); }
};

TEST_F(Resources, stand_in_share_beside_the_folder_of_the_program) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const auto starter = findResource("starter/headroom-starter.gguf");
  ASSERT_TRUE(starter) << starter.error().message.text();
  EXPECT_EQ(*starter, program.parent_path().parent_path() / "share/headroom/starter/headroom-starter.gguf");
  EXPECT_TRUE(std::filesystem::is_regular_file(*starter));
}

TEST_F(Resources, what_is_missing_is_named_with_its_place) {
  const auto absent = findResource("no-such-file.json");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, ErrorCode::kBadFile);
  EXPECT_THAT(absent.error().message.text(), HasSubstr("no-such-file.json is not installed"));
  EXPECT_THAT(absent.error().message.text(), HasSubstr("share/headroom/no-such-file.json"));
}

TEST_F(Resources, the_environment_names_another_folder_and_nothing_else_is_looked_at) {
  const std::filesystem::path folder = testing::TempDir() + "headroom-resources-test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "mine.json") << "{}";
  setenv("HEADROOM_RESOURCES", folder.c_str(), 1);
  const auto mine = findResource("mine.json");
  ASSERT_TRUE(mine) << mine.error().message.text();
  EXPECT_EQ(*mine, folder / "mine.json");
  EXPECT_FALSE(findResource("devices.json"));
  std::filesystem::remove_all(folder);
}

TEST(DataFolder, is_the_one_asked_for_or_that_of_the_desktop) {
  const auto with = [](const char* forced, const char* data, const char* home) {
    const auto set = [](const char* name, const char* value) {
      value != nullptr ? setenv(name, value, 1) : unsetenv(name);
    };
    set("HEADROOM_DATA_DIR", forced);
    set("XDG_DATA_HOME", data);
    set("HOME", home);
    return findDataFolder();
  };
  EXPECT_EQ(with("/a", "/b", "/c"), "/a");
  EXPECT_EQ(with("", "/b", "/c"), "/b/headroom");
  EXPECT_EQ(with(nullptr, "relative", "/c"), "/c/.local/share/headroom") << "the standard ignores a relative path";
  EXPECT_EQ(with(nullptr, nullptr, "/c"), "/c/.local/share/headroom");
  EXPECT_EQ(with(nullptr, nullptr, nullptr), "");
}

}  // namespace
}  // namespace headroom
