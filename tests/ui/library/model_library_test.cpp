#include "ui/library/model_library.h"

#include <gtest/gtest.h>

#include <QMutex>
#include <QSemaphore>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>

#include "support/model_specs.h"
#include "tests/ui/library/library_folders.h"
#include "ui/background/background.h"
#include "ui/calculator/calculator_state.h"

namespace headroom::ui {
namespace {

namespace fs = std::filesystem;

class ModelLibraryTest : public testing::Test {
 protected:
  using State = LibraryEntry::State;

  void SetUp() override {
    m_settings.folders = QStringList{m_disk.text("m")};
    fs::create_directories(m_disk.path("m"));
    setHost(32 * kGiB);
    makeLibrary();
  }
  void TearDown() override {
    m_library.reset();
    m_gate.release(1000);
    libraryThreads().waitForDone();
    writingThreads().waitForDone();
  }
  void makeLibrary() {
    const auto inspect = [this](const QString& path) {
      {
        const QMutexLocker lock(&m_mutex);
        m_read << path;
      }
      if (path.contains("/dead/")) m_gate.acquire();
      return test::readHeader(path);
    };
    m_library = std::make_unique<ModelLibrary>(inspect, m_disk.places(), m_settings);
    m_library->setDevices(m_calculator.startingDevices());
  }
  void setHost(Bytes bytes) {
    DeviceInfo host = test::cpu_with(bytes);
    host.speed.read_bytes_per_s = 40e9;
    m_calculator.setPresentDevices({host});
  }
  int timesRead(const QString& path) {
    const QMutexLocker lock(&m_mutex);
    return static_cast<int>(m_read.count(path));
  }
  static bool waitFor(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 60'000); }
  bool waitForState(const QString& path, State state) {
    return waitFor([&] { return entryOf(path) != nullptr && entryOf(path)->state == state; });
  }
  bool waitForFit(const QString& path) {
    return waitFor([&] { return entryOf(path) != nullptr && entryOf(path)->fit.kind != ModelFit::Kind::Unknown; });
  }
  const LibraryEntry* entryOf(const QString& path) const {
    const int row = m_library->model().rowOf(path);
    return row < 0 ? nullptr : &m_library->model().entry(row);
  }
  const LibraryEntry* only() const {
    return m_library->model().rowCount() == 1 ? &m_library->model().entry(0) : nullptr;
  }
  FolderState stateOf(const QString& path) const {
    for (const LibraryFolder& folder : m_library->folders()) {
      if (folder.where.path == path) return folder.state;
    }
    return FolderState::Unknown;
  }

  test::LibraryFolders m_disk;
  LibrarySettings m_settings;
  CalculatorState m_calculator{{}};
  QMutex m_mutex;
  QStringList m_read;
  QSemaphore m_gate;  // of the disk that does not answer
  std::unique_ptr<ModelLibrary> m_library;
};

TEST_F(ModelLibraryTest, nothing_is_looked_at_before_somebody_sees_the_list) {
  m_disk.addModel("m/a.gguf");
  m_library->look();
  QTest::qWait(50);
  EXPECT_EQ(m_library->model().rowCount(), 0);
  m_library->setSeen(nullptr, true);
  EXPECT_TRUE(m_library->isBusy());
  EXPECT_TRUE(waitForState(m_disk.text("m/a.gguf"), State::Ready));
  EXPECT_EQ(stateOf(m_disk.text("m")), FolderState::Fine);
  EXPECT_TRUE(waitFor([this] { return !m_library->isBusy(); }));
}

TEST_F(ModelLibraryTest, what_fits_is_what_the_calculator_plans_for_the_same_model) {
  m_disk.addModel("m/a.gguf");
  const QString path = m_disk.text("m/a.gguf");
  m_library->setSeen(nullptr, true);
  ASSERT_TRUE(waitForFit(path));
  m_calculator.setModel(entryOf(path)->facts.model);
  EXPECT_EQ(entryOf(path)->fit, fitOf(*entryOf(path)->facts.model, *m_calculator.plan()));
  EXPECT_EQ(badgeTone(*entryOf(path)), m_calculator.verdict().tone);
  EXPECT_TRUE(badgeText(*entryOf(path)).endsWith(m_calculator.verdict().speed));
  setHost(2 * kMiB);
  m_library->setDevices(m_calculator.startingDevices());
  ASSERT_TRUE(waitFor([&] { return entryOf(path)->fit.kind == ModelFit::Kind::TooLarge; }));
  m_calculator.setModel(entryOf(path)->facts.model);
  EXPECT_TRUE(m_calculator.verdict().heading.endsWith(badgeText(*entryOf(path)).section(' ', -2)));
  EXPECT_EQ(timesRead(path), 1) << "other devices are no reason to read it again";
}

TEST_F(ModelLibraryTest, what_cannot_be_opened_says_why_once_nobody_writes_to_it) {
  const fs::path settled = m_disk.addText("m/settled.gguf"), fresh = m_disk.addText("m/fresh.gguf");
  m_disk.settle(settled);
  m_library->setSeen(nullptr, true);
  const QString old = m_disk.text("m/settled.gguf"), young = m_disk.text("m/fresh.gguf");
  ASSERT_TRUE(waitForState(old, State::Refused));
  EXPECT_NE(entryOf(old)->facts.refusal.text().find("not a GGUF file"), std::string::npos);
  EXPECT_FALSE(entryOf(old)->facts.isUnsupported);
  ASSERT_TRUE(waitForState(young, State::Arriving));
  m_disk.settle(fresh);
  EXPECT_TRUE(waitForState(young, State::Refused)) << "it is looked at again by itself";
}

TEST_F(ModelLibraryTest, a_file_that_grows_is_no_broken_model_and_is_read_when_it_is_whole) {
  const fs::path whole = m_disk.addModel("elsewhere/a.gguf");
  std::ifstream stream(whole, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  m_disk.addText("m/a.gguf", bytes.substr(0, bytes.size() / 2));
  m_library->setSeen(nullptr, true);
  ASSERT_TRUE(waitForState(m_disk.text("m/a.gguf"), State::Arriving));
  m_disk.addText("m/a.gguf", bytes);
  EXPECT_TRUE(waitForState(m_disk.text("m/a.gguf"), State::Ready));
}

TEST_F(ModelLibraryTest, a_part_that_is_missing_is_said_and_looked_for_when_it_comes) {
  for (const char* part : {"m/a-00001-of-00002.gguf", "m/b-00002-of-00002.gguf"}) m_disk.settle(m_disk.addText(part));
  m_library->setSeen(nullptr, true);
  const QString a = m_disk.text("m/a-00001-of-00002.gguf");
  ASSERT_TRUE(waitForState(a, State::Incomplete));
  EXPECT_EQ(timesRead(a), 0) << "there is nothing to read";
  m_disk.settle(m_disk.addText("m/a-00002-of-00002.gguf"));
  EXPECT_TRUE(waitForState(a, State::Refused)) << "whole now, and no model";
}

TEST_F(ModelLibraryTest, a_folder_is_watched_while_the_list_is_seen) {
  m_library->setSeen(nullptr, true);
  ASSERT_TRUE(waitFor([this] { return stateOf(m_disk.text("m")) == FolderState::Fine; }));
  m_disk.addModel("m/a.gguf");
  ASSERT_TRUE(waitForState(m_disk.text("m/a.gguf"), State::Ready));
  m_disk.addModel("m/sub/b.gguf");
  ASSERT_TRUE(waitForState(m_disk.text("m/sub/b.gguf"), State::Ready));
  fs::remove(m_disk.path("m/a.gguf"));
  ASSERT_TRUE(waitFor([this] { return only() != nullptr; }));
  m_library->setSeen(nullptr, false);
  m_disk.addModel("m/c.gguf");
  QTest::qWait(700);
  EXPECT_NE(only(), nullptr) << "nobody sees it";
  m_library->setSeen(nullptr, true);
  EXPECT_TRUE(waitForState(m_disk.text("m/c.gguf"), State::Ready));
}

TEST_F(ModelLibraryTest, models_of_a_folder_that_is_gone_are_kept_and_come_back_with_it) {
  m_disk.addModel("m/a.gguf");
  const QString path = m_disk.text("m/a.gguf");
  m_library->setSeen(nullptr, true);
  ASSERT_TRUE(waitForFit(path));
  fs::rename(m_disk.path("m"), m_disk.path("away"));
  ASSERT_TRUE(waitFor([&] { return entryOf(path) != nullptr && entryOf(path)->isOffline; }));
  EXPECT_EQ(stateOf(m_disk.text("m")), FolderState::Missing);
  EXPECT_EQ(badgeText(*entryOf(path)), "Offline");
  fs::rename(m_disk.path("away"), m_disk.path("m"));
  ASSERT_TRUE(waitFor([&] { return !entryOf(path)->isOffline; }));
  EXPECT_EQ(entryOf(path)->state, State::Ready);
  EXPECT_NE(entryOf(path)->fit.kind, ModelFit::Kind::Unknown);
  EXPECT_EQ(timesRead(path), 1) << "the file is as it was";
}

TEST_F(ModelLibraryTest, a_file_in_two_folders_stands_there_once_and_belongs_to_the_first) {
  m_disk.addModel("m/sub/a.gguf");
  m_disk.link("data/models/b.gguf", m_disk.path("m/sub/a.gguf"));
  LibrarySettings settings = m_settings;
  settings.folders << m_disk.text("m/sub");
  m_library->setSettings(settings);
  m_library->setSeen(nullptr, true);
  ASSERT_TRUE(waitFor([this] { return !m_library->folders().isEmpty() && !m_library->isBusy(); }));
  ASSERT_NE(only(), nullptr);
  EXPECT_EQ(only()->folder.kind, FolderKind::Download);
}

TEST_F(ModelLibraryTest, caches_of_other_programs_are_looked_into_unless_they_are_switched_off) {
  m_disk.addModel("home/.cache/huggingface/hub/models--org--name/blobs/aa");
  m_disk.link("home/.cache/huggingface/hub/models--org--name/snapshots/1/x.gguf", "../../blobs/aa");
  m_disk.addModel("home/.lmstudio/models/p/r/y.gguf");
  m_disk.addModel("big/z.gguf");
  m_disk.addText("home/.lmstudio/settings.json", R"({"downloadsFolder": ")" + m_disk.path("big").string() + "\"}");
  const std::string digest(64, 'a');
  m_disk.addModel("home/.ollama/models/blobs/sha256-" + digest);
  m_disk.addText(
      "home/.ollama/models/manifests/registry.ollama.ai/library/tiny/1b",
      R"({"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:)" + digest + "\"}]}");
  QSignalSpy told(m_library.get(), &ModelLibrary::settingsChanged);
  m_library->setSeen(nullptr, true);
  const auto namesReady = [this] {
    QStringList names;
    for (const LibraryEntry& entry : m_library->model().entries()) {
      if (entry.state == State::Ready) names << entry.found.name;
    }
    names.sort();
    return names;
  };
  EXPECT_TRUE(waitFor([&] {
    return namesReady() == QStringList{"org/name", "tiny:1b", "y", "z"};
  })) << namesReady().join(' ').toStdString();
  EXPECT_EQ(told.count(), 0);
  LibrarySettings settings = m_settings;
  settings.lmStudio = settings.ollama = false;
  m_library->chooseSettings(settings);
  EXPECT_TRUE(waitFor([&] { return namesReady() == QStringList("org/name"); }));
  m_library->chooseSettings(settings);
  ASSERT_EQ(told.count(), 1) << "once for each change";
  EXPECT_EQ(told[0][0].value<LibrarySettings>(), settings);
}

TEST_F(ModelLibraryTest, a_disk_that_does_not_answer_keeps_nobody_else_waiting) {
  m_disk.addModel("dead/a.gguf");
  m_disk.addModel("m/b.gguf");
  LibrarySettings settings = m_settings;
  settings.folders.prepend(m_disk.text("dead"));
  m_library->setSettings(settings);
  m_library->setSeen(nullptr, true);
  EXPECT_TRUE(waitForFit(m_disk.text("m/b.gguf")));
  EXPECT_EQ(entryOf(m_disk.text("dead/a.gguf"))->state, State::Reading);
  QElapsedTimer clock;
  clock.start();
  m_library.reset();
  EXPECT_LT(clock.elapsed(), 5'000) << "nor the end of the program";
}

TEST_F(ModelLibraryTest, settings_that_change_drop_what_was_being_read_for_others) {
  m_disk.addModel("dead/a.gguf");
  LibrarySettings settings = m_settings;
  settings.folders = QStringList{m_disk.text("dead")};
  m_library->setSettings(settings);
  m_library->setSeen(nullptr, true);
  ASSERT_TRUE(waitFor([&] { return timesRead(m_disk.text("dead/a.gguf")) == 1; }));
  m_disk.addModel("m/b.gguf");
  m_library->setSettings(m_settings);
  ASSERT_TRUE(waitForState(m_disk.text("m/b.gguf"), State::Ready));
  m_gate.release();
  QTest::qWait(50);
  EXPECT_EQ(entryOf(m_disk.text("dead/a.gguf")), nullptr);
}

TEST_F(ModelLibraryTest, a_thousand_models_are_all_read_and_planned_and_what_is_visible_first) {
  const fs::path first = m_disk.addModel("m/0.gguf");
  for (int i = 1; i < 1000; ++i) fs::create_hard_link(first, m_disk.path("m") / (std::to_string(i) + ".gguf"));
  m_library->setVisible({m_disk.text("m/999.gguf")});
  m_library->setSeen(nullptr, true);
  ASSERT_TRUE(waitForFit(m_disk.text("m/999.gguf")));
  {
    const QMutexLocker lock(&m_mutex);
    EXPECT_EQ(m_read.value(0), m_disk.text("m/999.gguf"));
  }
  const auto nPlanned = [this] {
    const auto& entries = m_library->model().entries();
    return std::count_if(entries.begin(), entries.end(),
                         [](const LibraryEntry& entry) { return entry.fit.kind == ModelFit::Kind::Host; });
  };
  EXPECT_TRUE(waitFor([&] { return nPlanned() == 1000; })) << nPlanned();
}

TEST_F(ModelLibraryTest, a_loaded_model_is_marked_also_by_the_path_of_a_link) {
  m_disk.addModel("m/a.gguf");
  m_disk.link("link.gguf", m_disk.path("m/a.gguf"));
  m_library->setSeen(nullptr, true);
  ASSERT_TRUE(waitForState(m_disk.text("m/a.gguf"), State::Ready));
  m_library->setLoadedPath(m_disk.text("link.gguf"));
  EXPECT_TRUE(waitFor([this] { return only()->isLoaded; }));
  m_library->setLoadedPath({});
  EXPECT_FALSE(only()->isLoaded);
}

TEST_F(ModelLibraryTest, a_file_of_the_user_goes_to_the_trash_and_one_of_another_program_does_not) {
  QStandardPaths::setTestModeEnabled(true);
  QDir().mkpath(QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation));
  m_disk.addModel("m/a.gguf");
  m_disk.addModel("home/.lmstudio/models/y.gguf");
  QSignalSpy removed(m_library.get(), &ModelLibrary::removed), failed(m_library.get(), &ModelLibrary::removalFailed);
  m_library->setSeen(nullptr, true);
  const QString own = m_disk.text("m/a.gguf"), foreign = m_disk.text("home/.lmstudio/models/y.gguf");
  ASSERT_TRUE(waitForState(own, State::Ready));
  ASSERT_TRUE(waitForState(foreign, State::Ready));
  m_library->moveToTrash(foreign);
  m_library->moveToTrash(own);
  ASSERT_TRUE(waitFor([&] { return removed.count() + failed.count() == 1; }));
  EXPECT_TRUE(QFile::exists(foreign));
  // A disk may have no trash.
  EXPECT_EQ(QFile::exists(own), failed.count() == 1);
  EXPECT_TRUE(waitFor([&] { return (entryOf(own) == nullptr) == (removed.count() == 1); }));
}

TEST_F(ModelLibraryTest, of_a_split_model_that_goes_to_the_trash_in_part_the_moved_files_are_named) {
  QStandardPaths::setTestModeEnabled(true);
  for (const char* part : {"m/a-00001-of-00002.gguf", "m/a-00002-of-00002.gguf"}) m_disk.settle(m_disk.addText(part));
  m_library->setSeen(nullptr, true);
  const QString first = m_disk.text("m/a-00001-of-00002.gguf");
  ASSERT_TRUE(waitForState(first, State::Refused));
  QString told;
  QObject::connect(m_library.get(), &ModelLibrary::removalFailed, m_library.get(),
                   [&](const Sentence& sentence) { told = sentence.text(); });
  fs::remove(m_disk.path("m/a-00002-of-00002.gguf"));  // which the library does not know yet
  m_library->moveToTrash(first);
  ASSERT_TRUE(waitFor([&] { return !told.isEmpty(); }));
  // A disk may have no trash.
  EXPECT_EQ(told.endsWith("In the trash are: a-00001-of-00002.gguf."), !QFile::exists(first)) << told.toStdString();
}

}  // namespace
}  // namespace headroom::ui
