#include "ui/library/model_folders.h"

#include <gtest/gtest.h>

#include <map>

namespace headroom::ui {
namespace {

class ModelFoldersTest : public testing::Test {
 protected:
  QStringList pathsOf(FolderKind kind, const QByteArray& lmStudioSettings = {}) const {
    QStringList paths;
    for (const ModelFolder& folder : modelFolders(m_settings, m_places, lmStudioSettings)) {
      if (folder.kind == kind) paths << folder.path;
    }
    return paths;
  }

  std::map<std::string, QString> m_environment;
  LibrarySettings m_settings;
  LibraryPlaces m_places{QStringLiteral("/user"), QStringLiteral("/data"), [this](const char* name) {
                           const auto at = m_environment.find(name);
                           return at == m_environment.end() ? QString() : at->second;
                         }};
};

TEST_F(ModelFoldersTest, downloads_go_below_the_data_folder_until_another_is_chosen) {
  EXPECT_EQ(pathsOf(FolderKind::Download), QStringList("/data/models"));
  m_settings.downloadFolder = QStringLiteral("/disk/models");
  EXPECT_EQ(pathsOf(FolderKind::Download), QStringList("/disk/models"));
}

TEST_F(ModelFoldersTest, folders_that_downloads_went_to_before_are_remembered_once_each_and_not_for_ever) {
  const auto change = [this](const QString& folder) { changeDownloadFolder(m_settings, folder, m_places); };
  EXPECT_EQ(foldersOfDownloads(m_settings, m_places), QStringList("/data/models"));
  change("/one");
  change("/two");
  EXPECT_EQ(foldersOfDownloads(m_settings, m_places), (QStringList{"/two", "/one", "/data/models"}));
  change("/one");
  EXPECT_EQ(foldersOfDownloads(m_settings, m_places), (QStringList{"/one", "/two", "/data/models"}));
  change({});
  EXPECT_EQ(foldersOfDownloads(m_settings, m_places), (QStringList{"/data/models", "/one", "/two"}));
  EXPECT_EQ(pathsOf(FolderKind::Download), QStringList("/data/models")) << "the library lists those of now";
  for (int i = 0; i < 20; ++i) change(QStringLiteral("/%1").arg(i));
  EXPECT_EQ(m_settings.earlierDownloadFolders.size(), kMostEarlierFolders);
  EXPECT_EQ(m_settings.earlierDownloadFolders.first(), "/18");
}

TEST_F(ModelFoldersTest, an_earlier_folder_in_which_a_download_ended_is_listed_as_the_users_own) {
  m_settings.earlierDownloadFolders = {"/one", "/two/"};
  EXPECT_FALSE(listEarlierFolderOf(m_settings, "/data/models/org/x.gguf", m_places)) << "it is listed";
  EXPECT_FALSE(listEarlierFolderOf(m_settings, "/twofold/x.gguf", m_places)) << "no folder of downloads";
  EXPECT_TRUE(m_settings.folders.isEmpty());
  EXPECT_TRUE(listEarlierFolderOf(m_settings, "/two/org/x.gguf", m_places));
  EXPECT_FALSE(listEarlierFolderOf(m_settings, "/two/org/y.gguf", m_places));
  EXPECT_EQ(m_settings.folders, QStringList("/two"));
}

TEST_F(ModelFoldersTest, the_cache_of_hugging_face_is_where_its_variables_say_in_their_order) {
  EXPECT_EQ(pathsOf(FolderKind::HuggingFace), QStringList("/user/.cache/huggingface/hub"));
  m_environment["XDG_CACHE_HOME"] = QStringLiteral("/cache");
  EXPECT_EQ(pathsOf(FolderKind::HuggingFace), QStringList("/cache/huggingface/hub"));
  m_environment["HF_HOME"] = QStringLiteral("~/hf");
  EXPECT_EQ(pathsOf(FolderKind::HuggingFace), QStringList("/user/hf/hub"));
  m_environment["HF_HUB_CACHE"] = QStringLiteral("/hub");
  EXPECT_EQ(pathsOf(FolderKind::HuggingFace), QStringList("/hub"));
}

TEST_F(ModelFoldersTest, lm_studio_may_have_been_told_another_folder) {
  const QStringList usual{"/user/.lmstudio/models", "/user/.cache/lm-studio/models"};
  EXPECT_EQ(lmStudioSettingsFile(m_places), "/user/.lmstudio/settings.json");
  EXPECT_EQ(pathsOf(FolderKind::LmStudio), usual);
  EXPECT_EQ(pathsOf(FolderKind::LmStudio, R"({"downloadsFolder": "/big/models"})"), QStringList("/big/models") + usual);
  for (const char* broken : {"{", "[]", R"({"downloadsFolder": 3})", R"({"downloadsFolder": "relative"})"})
    EXPECT_EQ(pathsOf(FolderKind::LmStudio, broken), usual) << broken;
}

TEST_F(ModelFoldersTest, ollama_has_a_folder_of_the_user_and_one_of_its_service) {
  m_environment["OLLAMA_MODELS"] = QStringLiteral("/ollama");
  EXPECT_EQ(pathsOf(FolderKind::Ollama),
            (QStringList{"/ollama", "/user/.ollama/models", "/usr/share/ollama/.ollama/models", "/var/lib/ollama",
                         "/var/lib/ollama/models"}));
}

TEST_F(ModelFoldersTest, what_is_switched_off_is_not_looked_for) {
  m_settings.huggingFace = m_settings.lmStudio = m_settings.ollama = false;
  m_settings.folders = QStringList{"/a", "/a/", "/data/models", "/b"};
  const QVector<ModelFolder> folders = modelFolders(m_settings, m_places, R"({"downloadsFolder": "/big"})");
  const QVector<ModelFolder> expected{
      {FolderKind::Download, "/data/models"}, {FolderKind::User, "/a"}, {FolderKind::User, "/b"}};
  EXPECT_EQ(folders, expected) << "each path once, and the download folder is that alone";
}

TEST_F(ModelFoldersTest, only_the_users_own_files_may_be_moved_to_the_trash) {
  EXPECT_TRUE(mayTrash(FolderKind::User) && mayTrash(FolderKind::Download));
  for (const FolderKind kind : {FolderKind::HuggingFace, FolderKind::LmStudio, FolderKind::Ollama})
    EXPECT_FALSE(mayTrash(kind));
}

TEST_F(ModelFoldersTest, a_folder_is_called_by_its_program_or_its_own_name) {
  EXPECT_EQ(folderLabel({FolderKind::Ollama, "/x"}), "Ollama");
  EXPECT_EQ(folderLabel({FolderKind::User, "/disk/My models"}), "My models");
  EXPECT_EQ(folderLabel({FolderKind::User, "/"}), "/");
}

}  // namespace
}  // namespace headroom::ui
