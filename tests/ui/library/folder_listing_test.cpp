#include "ui/library/folder_listing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/ui/library/library_folders.h"

namespace headroom::ui {
namespace {

namespace fs = std::filesystem;

class FolderListingTest : public testing::Test {
 protected:
  FolderListing list(FolderKind kind, const char* below) {
    return listFolder({kind, m_disk.text(below)}, std::make_shared<std::atomic<bool>>(false));
  }
  static QStringList namesOf(const FolderListing& listing) {
    QStringList names;
    for (const FoundModel& model : listing.models) names << model.name;
    return names;
  }

  test::LibraryFolders m_disk;
};

TEST_F(FolderListingTest, models_are_found_at_any_depth_and_other_files_are_not) {
  m_disk.addText("m/b.gguf", "12345");
  m_disk.addText("m/deep/er/A.GGUF");
  m_disk.addText("m/readme.md");
  m_disk.addText("m/c.gguf.part");
  m_disk.addText("m/d.gguf.incomplete");
  fs::create_directories(m_disk.path("m/folder.gguf"));
  const FolderListing listing = list(FolderKind::User, "m");
  EXPECT_EQ(listing.state, FolderState::Fine);
  ASSERT_EQ(namesOf(listing), (QStringList{"A", "b"}));
  EXPECT_EQ(listing.models[1].path, m_disk.text("m/b.gguf"));
  EXPECT_EQ(listing.models[1].bytes, 5U);
  EXPECT_GT(listing.models[1].changedMs, 1'600'000'000'000);
  EXPECT_TRUE(listing.watched.contains(m_disk.text("m")) && listing.watched.contains(m_disk.text("m/deep/er")));
}

TEST_F(FolderListingTest, the_parts_of_a_split_model_are_one_and_missing_ones_are_counted) {
  for (const char* name : {"m/x-00001-of-00003.gguf", "m/x-00003-of-00003.gguf", "m/y-00002-of-00002.gguf",
                           "m/y-00001-of-00002.gguf", "m/x-00001-of-00002.gguf"})
    m_disk.addText(name, "1234");
  const FolderListing listing = list(FolderKind::User, "m");
  ASSERT_EQ(namesOf(listing), (QStringList{"x", "x", "y"}));
  const FoundModel& two = listing.models[0];
  const FoundModel& three = listing.models[1];
  EXPECT_EQ(std::pair(two.nParts, two.nMissing), std::pair(2, 1));
  EXPECT_EQ(std::pair(three.nParts, three.nMissing), std::pair(3, 1));
  EXPECT_EQ(three.bytes, 8U);
  EXPECT_EQ(three.path, m_disk.text("m/x-00001-of-00003.gguf"));
  const FoundModel& whole = listing.models[2];
  EXPECT_EQ(std::pair(whole.nParts, whole.nMissing), std::pair(2, 0));
  EXPECT_EQ(whole.path, m_disk.text("m/y-00001-of-00002.gguf"));
  EXPECT_EQ(whole.files.size(), 2);
}

TEST_F(FolderListingTest, links_in_a_circle_end_and_a_file_with_two_names_is_one) {
  m_disk.addText("m/a/x.gguf");
  m_disk.link("m/a/again", m_disk.path("m"));
  m_disk.link("m/b", m_disk.path("m/a"));
  m_disk.link("m/self", m_disk.path("m/self"));
  m_disk.link("m/gone.gguf", m_disk.path("nowhere.gguf"));
  m_disk.link("m/y.gguf", m_disk.path("m/a/x.gguf"));
  const FolderListing listing = list(FolderKind::User, "m");
  EXPECT_EQ(listing.models.size(), 1);
  EXPECT_EQ(listing.models[0].canonical, QFileInfo(m_disk.text("m/a/x.gguf")).canonicalFilePath());
}

TEST_F(FolderListingTest, a_mark_beside_a_file_says_that_it_is_being_fetched) {
  m_disk.addText("m/a.gguf");
  m_disk.addText("m/a.gguf.aria2");
  m_disk.addText("m/b.gguf");
  m_disk.addText("m/c.gguf", "");
  const FolderListing listing = list(FolderKind::User, "m");
  ASSERT_EQ(listing.models.size(), 3);
  EXPECT_TRUE(listing.models[0].isPartial);
  EXPECT_FALSE(listing.models[1].isPartial);
  EXPECT_TRUE(listing.models[2].isPartial) << "empty as yet, where something is being fetched";
}

TEST_F(FolderListingTest, a_folder_that_is_not_there_is_missing_and_the_one_above_is_named) {
  m_disk.addText("m/file");
  EXPECT_EQ(list(FolderKind::User, "m/gone").state, FolderState::Missing);
  EXPECT_EQ(list(FolderKind::User, "m/gone").above, m_disk.text("m"));
  EXPECT_TRUE(list(FolderKind::User, "m/gone/further").above.isEmpty()) << "nothing to watch there";
  EXPECT_EQ(list(FolderKind::User, "m/file").state, FolderState::Missing);
  EXPECT_EQ(stateOfFolder(m_disk.text("m")), FolderState::Fine);
  EXPECT_EQ(stateOfFolder(m_disk.text("m/gone")), FolderState::Missing);
}

// The tests may run as root, whom nothing is forbidden.
TEST_F(FolderListingTest, what_a_user_may_not_read_is_told_from_what_is_gone) {
  EXPECT_EQ(folderStateOf(std::make_error_code(std::errc::permission_denied)), FolderState::NotReadable);
  EXPECT_EQ(folderStateOf(std::make_error_code(std::errc::io_error)), FolderState::Missing);
  EXPECT_EQ(folderStateOf({}), FolderState::Fine);
}

TEST_F(FolderListingTest, a_repository_of_hugging_face_has_each_file_once_whatever_its_snapshots) {
  const fs::path repo = "hub/models--org--Some-Model-GGUF";
  m_disk.addText(repo / "blobs/aaa", "first");
  m_disk.addText(repo / "blobs/bbb", "second");
  m_disk.addText("hub/models--org--Some-Model-GGUF/blobs/ccc.incomplete", "half");
  for (const char* revision : {"1111", "2222"}) {
    m_disk.link(repo / "snapshots" / revision / "x-Q4_K_M.gguf", "../../blobs/aaa");
    m_disk.link(repo / "snapshots" / revision / "sub/x-Q8_0.gguf", "../../../blobs/bbb");
  }
  m_disk.addText("hub/datasets--org--data/snapshots/1/no.gguf");
  m_disk.addText("hub/version.txt");
  const FolderListing listing = list(FolderKind::HuggingFace, "hub");
  ASSERT_EQ(namesOf(listing), (QStringList{"org/Some-Model-GGUF", "org/Some-Model-GGUF"}));
  QStringList files;
  for (const FoundModel& model : listing.models) files << QFileInfo(model.path).fileName();
  files.sort();
  EXPECT_EQ(files, (QStringList{"x-Q4_K_M.gguf", "x-Q8_0.gguf"})) << "by the names of their links";
  EXPECT_TRUE(listing.models[0].canonical.contains("/blobs/"));
}

TEST_F(FolderListingTest, a_split_model_of_hugging_face_is_opened_by_the_names_of_its_links) {
  const fs::path repo = "hub/models--org--Big";
  for (int i = 1; i <= 2; ++i) {
    m_disk.addText(repo / "blobs" / std::to_string(i), "1234");
    m_disk.link(repo / "snapshots/1" / ("big-0000" + std::to_string(i) + "-of-00002.gguf"),
                "../../blobs/" + std::to_string(i));
  }
  const FolderListing listing = list(FolderKind::HuggingFace, "hub");
  ASSERT_EQ(listing.models.size(), 1);
  EXPECT_TRUE(listing.models[0].path.endsWith("/snapshots/1/big-00001-of-00002.gguf"));
  EXPECT_EQ(listing.models[0].nMissing, 0);
  EXPECT_EQ(listing.models[0].bytes, 8U);
}

std::string manifestOf(const std::string& digest) {
  return R"({"schemaVersion": 2, "layers": [
    {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:)" +
         std::string(64, 'f') + R"(", "size": 1},
    {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:)" +
         digest + R"(", "size": 5}]})";
}

TEST_F(FolderListingTest, manifests_of_ollama_name_the_blobs_of_their_models) {
  const std::string a(64, 'a'), b(64, 'b'), c(64, 'c');
  m_disk.addText("o/blobs/sha256-" + a, "12345");
  m_disk.addText("o/blobs/sha256-" + b, "123");
  const fs::path host = "o/manifests/registry.ollama.ai";
  m_disk.addText(host / "library/llama3.2/3b", manifestOf(a));
  m_disk.addText(host / "library/llama3.2/latest", manifestOf(a));
  m_disk.addText(host / "someone/own/v1", manifestOf(b));
  m_disk.addText("o/manifests/hf.co/org/repo/Q4_K_M", manifestOf(c));
  m_disk.addText(host / "library/bad/json", "{");
  m_disk.addText(host / "library/bad/digest", manifestOf("../../../etc/passwd"));
  const FolderListing listing = list(FolderKind::Ollama, "o");
  EXPECT_EQ(listing.state, FolderState::Fine);
  ASSERT_EQ(namesOf(listing), (QStringList{"hf.co/org/repo:Q4_K_M", "llama3.2:3b", "someone/own:v1"}))
      << "'latest' is the same file";
  EXPECT_EQ(listing.models[0].nMissing, 1) << "its blob is not there";
  EXPECT_EQ(listing.models[1].path, m_disk.text(("o/blobs/sha256-" + a).c_str()));
  EXPECT_EQ(listing.models[1].bytes, 5U);
  EXPECT_TRUE(listing.watched.contains(m_disk.text("o/manifests/registry.ollama.ai/library/llama3.2")));
}

TEST_F(FolderListingTest, an_ollama_without_models_is_fine) {
  fs::create_directories(m_disk.path("o"));
  EXPECT_EQ(list(FolderKind::Ollama, "o").state, FolderState::Fine);
}

TEST_F(FolderListingTest, many_other_files_are_no_hindrance_and_a_stop_ends_the_look) {
  for (int folder = 0; folder < 20; ++folder) {
    for (int i = 0; i < 100; ++i) m_disk.addText(fs::path("m") / std::to_string(folder) / (std::to_string(i) + ".txt"));
    m_disk.addText(fs::path("m") / std::to_string(folder) / "x.gguf");
  }
  EXPECT_EQ(list(FolderKind::User, "m").models.size(), 20);
  EXPECT_TRUE(
      listFolder({FolderKind::User, m_disk.text("m")}, std::make_shared<std::atomic<bool>>(true)).models.empty());
}

}  // namespace
}  // namespace headroom::ui
