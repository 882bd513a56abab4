// The whole program without a display: the real window, the real engine, a model of random weights.
#include <filesystem>

#include "app/native_path.h"
#include "backend/registry.h"
#include "tests/app/app_fixture.h"
#include "tests/app/conversation_files.h"
#include "ui/format/message_words.h"

namespace headroom::app {
namespace {

TEST_F(AppWindowTest, a_file_is_dropped_planned_fixed_loaded_and_chatted_with) {
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("modelNote")->text().contains("not a general assistant"); }))
      << find<QLabel>("modelNote")->text().toStdString();

  drop(m_app->window(), kDropped);
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("modelName")->text().contains("qwen3", Qt::CaseInsensitive); }))
      << find<QLabel>("modelName")->text().toStdString();
  EXPECT_TRUE(verdict().startsWith("Fits:")) << verdict().toStdString();

  // The bytes asked for; the rest of the sentence follows what other programs hold at this moment.
  const auto asked = [&] { return verdict().section(" of ", 0, 0); };
  const QString before = asked();
  auto* slider = find<QSlider>("contextSlider");
  // To half of the longest: a step changes no whole group of the cache, and the shortest would not hold the
  // conversation below.
  ASSERT_GE(slider->maximum() - slider->minimum(), 2);
  slider->setValue(slider->maximum() - 2);
  ASSERT_TRUE(waitFor([&] { return asked() != before; })) << before.toStdString();

  auto* rule = find<QComboBox>("headroomRule");
  rule->setCurrentIndex(1);
  emit rule->activated(1);
  auto* edit = find<QLineEdit>("headroomEdit");
  edit->setFocus();
  edit->selectAll();
  QTest::keyClicks(edit, "1500 KiB");
  QTest::keyClick(edit, Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return verdict().startsWith("Does not fit"); })) << verdict().toStdString();
  EXPECT_FALSE(find<QPushButton>("loadButton")->isEnabled());
  ASSERT_TRUE(waitFor([&] {
    const auto* fix = m_app->window().findChild<QPushButton*>("fix0");
    return fix != nullptr && fix->isVisible() && fix->isEnabled();
  }));
  find<QPushButton>("fix0")->click();
  ASSERT_TRUE(waitFor([&] { return verdict().startsWith("Fits:"); })) << verdict().toStdString();

  QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
  find<QPushButton>("loadButton")->click();
  ASSERT_TRUE(waitFor([&] { return loaded.count() == 1; }));
  for (const ui::ArenaFigures& arena : loaded[0][1].value<ui::LoadedModel>().arenas)
    EXPECT_EQ(arena.plannedBytes, arena.mappedBytes);
  agreeToTemplate();

  type("hello");
  ASSERT_TRUE(answered());
  ASSERT_EQ(tree().path().size(), 2);
}

TEST_F(AppWindowTest, an_answer_is_stopped_and_regenerated_and_kept_for_the_next_start) {
  type("hello");
  ASSERT_TRUE(waitFor([&] { return m_app->chat().session().activity() != ui::Activity::Reading; }));
  QTest::keyClick(find<QPlainTextEdit>("messageEdit"), Qt::Key_Escape);
  ASSERT_TRUE(answered());
  ASSERT_TRUE(waitFor([&] { return visibleButton("regenerate") != nullptr; }));
  visibleButton("regenerate")->click();
  find<QPushButton>("sendButton")->click();  // stops
  ASSERT_TRUE(answered());
  EXPECT_EQ(tree().versions(tree().path()[1]).size(), 2);
  grabBothThemes("window");

  m_app.reset();
  start();
  auto* list = find<QListView>("conversationList");
  ASSERT_TRUE(waitFor([&] { return list->model()->rowCount() == 1; }));
  EXPECT_EQ(list->model()->index(0, 0).data().toString(), "hello");
  emit list->activated(list->model()->index(0, 0));
  ASSERT_TRUE(waitFor([&] { return tree().path().size() == 2; }));
  EXPECT_EQ(tree().versions(tree().path()[1]).size(), 2);
}

TEST_F(AppWindowTest, the_model_that_was_loaded_comes_back_with_its_options_at_the_next_start) {
  drop(m_app->window(), kDropped);
  ASSERT_TRUE(waitFor([&] { return m_app->models().path() == kDropped; }));
  find<QSpinBox>("contextSpin")->setValue(321);
  QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
  find<QPushButton>("loadButton")->click();
  ASSERT_TRUE(waitFor([&] { return loaded.count() == 1; }));
  m_app->window().close();
  m_app.reset();
  start();
  const ui::LoadedModel* back = m_app->models().load().loaded();
  ASSERT_NE(back, nullptr);
  EXPECT_EQ(back->path, kDropped);
  EXPECT_EQ(back->plan->options.n_ctx, 321U);
  EXPECT_FALSE(find<QDockWidget>("memoryDock")->isVisible()) << "the chat has the room";
  grab("second-start");
}

TEST_F(AppWindowTest, what_another_start_hands_over_is_opened_here_whatever_its_name) {
  QTemporaryDir folder;
  const QString odd = folder.path() + pathFromBytes("/a b\n\xe9.gguf");
  std::filesystem::copy_file(toNativePath(kDropped), toNativePath(odd));
  m_app->window().showMinimized();
  m_app->takeOver({{odd}, "token"});
  EXPECT_FALSE(m_app->window().isMinimized());
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("modelName")->text().contains("qwen3", Qt::CaseInsensitive); }))
      << find<QLabel>("messageText")->text().toStdString();
  QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
  ASSERT_TRUE(waitFor([&] { return find<QPushButton>("loadButton")->isEnabled(); }));
  find<QPushButton>("loadButton")->click();
  ASSERT_TRUE(loaded.wait(120'000)) << find<QLabel>("messageText")->text().toStdString();
  EXPECT_EQ(find<ui::MessageBar>("messageBar")->count(), 0);

  m_app->takeOver({});  // only comes to the front
  m_app->takeOver({{kGoldenModel, kDropped}, {}});
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("modelName")->text().contains("llama", Qt::CaseInsensitive); }));
  EXPECT_TRUE(find<QLabel>("messageText")->text().contains("llama-gqa.gguf"))
      << find<QLabel>("messageText")->text().toStdString();
  m_app.reset();
  std::filesystem::remove(toNativePath(odd));  // Qt cannot
}

// As a user sees it: the sentence in the window, and the notice that stays.
TEST_F(AppWindowTest, a_file_of_a_newer_program_is_named_and_the_chat_works_without_keeping) {
  m_app.reset();
  const QString file = m_data.filePath("conversations.sqlite");
  test::RawDatabase(file).run("PRAGMA user_version=7");
  test::RawDatabase(file).run("INSERT INTO writer VALUES('9.0')");
  const QByteArray before = test::bytesOf(file);
  start();
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("notKept")->isVisible(); }));
  const QString sentence = find<QLabel>("messageText")->text();
  EXPECT_TRUE(sentence.contains(file) && sentence.contains("Headroom 9.0")) << sentence.toStdString();
  type("hello");
  ASSERT_TRUE(answered());
  auto* list = find<QListView>("conversationList");
  EXPECT_TRUE(waitFor([&] { return list->model()->rowCount() == 1; }));
  grabBothThemes("not-kept");
  m_app.reset();
  EXPECT_EQ(test::bytesOf(file), before);
}

TEST_F(AppWindowTest, a_model_of_the_library_is_planned_for_this_machine_loaded_and_marked) {
  ui::LibrarySettings settings;
  settings.huggingFace = settings.lmStudio = settings.ollama = false;
  m_app->library().chooseSettings(settings);
  const QString folder = m_data.filePath("models"), path = folder + "/Own-F32.gguf";
  ASSERT_TRUE(QDir().mkpath(folder) && QFile::copy(kDropped, path));
  find<QAction>("actionLibrary")->trigger();
  auto* list = find<QListView>("libraryList");
  ASSERT_TRUE(waitFor([&] { return list->model()->rowCount() == 1; }));
  const auto is = [&](int role) { return list->model()->index(0, 0).data(role); };
  ASSERT_TRUE(waitFor([&] { return is(ui::LibraryModel::BadgeRole).toString().startsWith("Fits"); }));
  list->setFocus();
  QTest::keyClick(list, Qt::Key_Return);
  ASSERT_TRUE(waitFor([&] { return is(ui::LibraryModel::LoadedRole).toBool(); }));
  EXPECT_FALSE(list->isVisible()) << "the chat is back";
  m_app.reset();
  start();
  EXPECT_EQ(m_app->library().settings(), settings) << "kept";
}

TEST_F(AppWindowTest, what_is_no_model_is_one_sentence_and_the_loaded_one_stays) {
  drop(m_app->window(), HEADROOM_SOURCE_DIR "/LICENSE");
  ASSERT_TRUE(waitFor([&] { return find<QLabel>("messageText")->isVisible(); }));
  EXPECT_TRUE(find<QLabel>("messageText")->text().contains("LICENSE"))
      << find<QLabel>("messageText")->text().toStdString();
  EXPECT_EQ(m_app->chat().session().activity(), ui::Activity::Idle);
}

TEST_F(AppWindowTest, a_file_that_only_looks_like_a_model_is_one_sentence_that_names_it) {
  QTemporaryDir folder;
  const auto write = [&](const QString& name, const QByteArray& content) {
    QFile file(folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    return file.fileName();
  };
  QDir(folder.path()).mkdir("plain folder");
  const QStringList bad{write("text.gguf", "hello, I am no model"), write("empty.gguf", ""),
                        folder.filePath("plain folder"), folder.filePath("absent.gguf")};
  for (const QString& path : bad) {
    const QString name = QFileInfo(path).fileName();
    drop(m_app->window(), path);
    ASSERT_TRUE(waitFor([&] {
      return find<QLabel>("messageText")->isVisible() && find<QLabel>("messageText")->text().contains(name);
    })) << name.toStdString()
        << ": " << find<QLabel>("messageText")->text().toStdString();
    EXPECT_EQ(find<ui::MessageBar>("messageBar")->count(), 1 + bad.indexOf(path)) << "one sentence for one file";
    const QString sentence = find<QLabel>("messageText")->text();
    EXPECT_FALSE(sentence.contains('\n')) << sentence.toStdString();
  }
  EXPECT_EQ(m_app->chat().session().activity(), ui::Activity::Idle) << "the loaded model stays";
}

// Of a number that no device of this machine has; without a build for Vulkan nothing looks.
class AppWithoutGpu : public AppWindowTest {
 protected:
  void SetUp() override {
    qputenv("HEADROOM_VULKAN_DEVICES", "99");
    qputenv("HEADROOM_CUDA", "0");  // of which the tests have a card
    AppWindowTest::SetUp();
  }
  void TearDown() override {
    for (const char* name : {"HEADROOM_VULKAN_DEVICES", "HEADROOM_CUDA"}) qunsetenv(name);
  }
};

TEST_F(AppWithoutGpu, the_window_says_why_as_the_command_line_does) {
  QStringList sentences;
  for (const Message& sentence : refused_devices(true)) sentences << ui::wordsOf(sentence) + '.';
#if HEADROOM_HAS_VULKAN
  ASSERT_FALSE(sentences.isEmpty());
#endif
  auto* label = find<QLabel>("refusedDevices");
  EXPECT_EQ(label->text(), sentences.join('\n'));
  EXPECT_EQ(label->isVisible(), !sentences.isEmpty());
  grabBothThemes("without-gpu");
}

TEST_F(AppWindowTest, the_keyboard_opens_a_file_and_walks_through_all_panes) {
  QTest::keyClick(&m_app->window(), Qt::Key_O, Qt::ControlModifier);
  auto* dialog = m_app->window().findChild<QFileDialog*>();
  ASSERT_NE(dialog, nullptr);
  dialog->close();
  // Tab goes down each pane before it goes to the next one, and comes back to where it began.
  QStringList panes;
  QWidget* first = find<QWidget>("dropArea");
  QWidget* at = first;
  int steps = 0;
  do {
    const bool stops = at->isVisible() && at->isEnabled() && (at->focusPolicy() & Qt::TabFocus) != 0;
    if (stops) {
      QString pane = "other";
      for (QWidget* above = at; above; above = above->parentWidget()) {
        if (above == &m_app->chat() || above->inherits("QDockWidget")) pane = above->objectName();
      }
      if (panes.isEmpty() || panes.last() != pane) panes.append(pane);
    }
    at = at->nextInFocusChain();
  } while (at != first && ++steps < 10'000);
  panes.removeAll("other");
  EXPECT_EQ(panes.count("memoryDock"), 1) << panes.join(' ').toStdString();
  EXPECT_EQ(panes.count("vramDock"), 1) << panes.join(' ').toStdString();
  EXPECT_EQ(panes.count("chatWidget"), 1) << panes.join(' ').toStdString();
}

TEST_F(AppWindowTest, the_window_can_be_made_small_and_cuts_nothing_off) {
  QWidget& window = m_app->window();
  const QSize least = window.minimumSizeHint();
  EXPECT_LE(least.width(), 1100);
  EXPECT_LE(least.height(), 650);
  for (const QSize size : {QSize(1600, 1000), QSize(1440, 900), QSize(1280, 800), QSize(1100, 650)}) {
    window.resize(size);
    m_app->window().findChild<QAction*>("actionResetDocks")->trigger();
    QTest::qWait(50);
    EXPECT_EQ(window.size(), size);
    for (const QScrollArea* area : window.findChildren<QScrollArea*>()) {
      if (!area->isVisible() || area->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff) continue;
      EXPECT_LE(area->widget()->width(), area->viewport()->width())
          << area->parentWidget()->metaObject()->className() << " is cut off at its right in a window of "
          << size.width();
    }
    EXPECT_GE(m_app->chat().width(), m_app->chat().minimumSizeHint().width());
  }
}

TEST_F(AppWindowTest, settings_that_cannot_be_written_are_told_once) {
  const QString file = settingsFile(m_data.path());
  QFile::remove(file);
  ASSERT_TRUE(QDir().mkpath(file + "/in the way"));
  const auto nTold = [this] {
    const auto& messages = find<ui::MessageBar>("messageBar")->messages();
    return std::count_if(messages.begin(), messages.end(), [](const ui::BarMessage& message) {
      return message.sentence.text().startsWith("The settings cannot be written to ");
    });
  };
  ui::WindowSettings window = m_app->settings().window();
  window.lastFolder = "/one";
  m_app->settings().setWindow(window);
  ASSERT_TRUE(waitFor([&] { return nTold() == 1; }));
  find<ui::MessageBar>("messageBar")->clear();
  window.lastFolder = "/two";
  m_app->settings().setWindow(window);
  QTest::qWait(1000);  // longer than a save waits for more changes
  EXPECT_EQ(nTold(), 0);
}

}  // namespace
}  // namespace headroom::app
