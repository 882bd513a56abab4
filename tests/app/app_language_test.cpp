// The language of the window is changed while all goes on: answers, loads, a verification, what is being written.
#include <QAbstractItemView>
#include <QListWidget>
#include <QMenu>
#include <QPointer>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSemaphore>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QThreadPool>
#include <algorithm>

#include "app/model_downloads.h"
#include "tests/app/app_fixture.h"
#include "ui/background/background.h"
#include "ui/background/write_file.h"
#include "ui/calculator/memory_panel.h"
#include "ui/chat/attachment_viewer.h"
#include "ui/chat/chat_sessions.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/conversation_export.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/find_bar.h"
#include "ui/format/message_words.h"
#include "ui/format/typed_number.h"
#include "ui/library/hub_reference.h"
#include "ui/library/transfer.h"
#include "ui/settings/settings_dialog.h"
#include "ui/verify/verify_dialog.h"

namespace headroom::app {
namespace {

using ui::LanguageChoice;

class AppLanguageTest : public AppWindowTest {
 protected:
  // As the settings do it; returns once the window is built anew.
  void speak(LanguageChoice language) {
    const QPointer<QWidget> before(&m_app->chat());
    ui::GeneralSettings general = m_app->settings().general();
    general.language = language;
    m_app->settings().setGeneral(general);
    ASSERT_TRUE(waitFor([&] { return before == nullptr; }));
  }
  bool isGerman() const { return ui::textLocale().language() == QLocale::German; }

  // What is hidden for now may hold what it said last, but for panes and pages that are not in front.
  static bool isAway(const QWidget& widget, const QWidget& window) {
    for (const QWidget* at = &widget; at != &window; at = at->parentWidget()) {
      const bool isPage = qobject_cast<const QStackedWidget*>(at->parentWidget()) != nullptr;
      if (at->isHidden() && !isPage && qobject_cast<const QDockWidget*>(at) == nullptr) return true;
    }
    return false;
  }

  // All that is written in the window, but for figures, which move.
  static QStringList textsOf(const QWidget& window) {
    QStringList texts{window.windowTitle()};
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
      if (isAway(*widget, window)) continue;
      texts << widget->accessibleName() << widget->accessibleDescription() << widget->toolTip();
      if (const auto* label = qobject_cast<const QLabel*>(widget)) texts << label->text();
      if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) texts << button->text();
      if (const auto* edit = qobject_cast<const QLineEdit*>(widget)) texts << edit->text() << edit->placeholderText();
      if (const auto* dock = qobject_cast<const QDockWidget*>(widget)) texts << dock->windowTitle();
      if (const auto* menu = qobject_cast<const QMenu*>(widget)) texts << menu->title();
      if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
        for (int i = 0; i < tabs->count(); ++i) texts << tabs->tabText(i);
      }
      if (const auto* combo = qobject_cast<const QComboBox*>(widget)) {
        for (int i = 0; i < combo->count(); ++i) texts << combo->itemText(i);
      }
    }
    for (const QAction* action : window.findChildren<QAction*>()) texts << action->text() << action->statusTip();
    static const QRegularExpression kFigures("[0-9][0-9.,]*( [KMGT]iB| B)?");
    for (QString& text : texts) text.replace(kFigures, "#");
    texts.removeDuplicates();
    texts.removeAll(QString());
    texts.sort();
    return texts;
  }

  // Plans come until advice on the last one is there.
  void settle() {
    ASSERT_TRUE(waitFor([&] { return !m_app->models().calculator().isAdvising(); }));
    QTest::qWait(1200);  // a reading of memory: the figures of both windows are there
  }
};

TEST_F(AppLanguageTest, the_language_is_chosen_in_the_settings_holds_at_once_and_at_the_next_start) {
  find<QAction>("actionSettings")->trigger();
  auto* dialog = find<ui::SettingsDialog>("settingsDialog");
  const QRect place = dialog->geometry();
  auto* choice = dialog->findChild<QComboBox*>("languageChoice");
  choice->setFocus();
  const int german = choice->findText("Deutsch");
  choice->setCurrentIndex(german);
  emit choice->activated(german);
  const QPointer<QWidget> before(choice);
  ASSERT_TRUE(waitFor([&] { return before == nullptr; }));
  EXPECT_TRUE(isGerman());
  EXPECT_EQ(find<ui::SettingsDialog>("settingsDialog"), dialog) << "the dialog stays";
  EXPECT_TRUE(dialog->isVisible());
  EXPECT_EQ(dialog->geometry(), place);
  EXPECT_EQ(dialog->findChild<QListWidget*>("settingsPages")->currentRow(), 0);
  auto* now = dialog->findChild<QComboBox*>("languageChoice");
  EXPECT_EQ(now->currentText(), "Deutsch");
  EXPECT_EQ(dialog->focusWidget(), now);
  EXPECT_EQ(now->itemText(0), "Wie das System");
  m_app->window().close();
  m_app.reset();
  start();
  EXPECT_TRUE(isGerman());
  EXPECT_EQ(m_app->settings().general().language, LanguageChoice::German);
}

TEST_F(AppLanguageTest, a_window_that_was_switched_says_what_one_says_that_started_so) {
  m_app->window().resize(1700, 950);  // with room for both panes, which the user opens himself: so they stay open
  for (const char* pane : {"memoryDock", "vramDock"}) {
    QAction* toggle = nullptr;
    for (QAction* action : m_app->window().findChildren<QAction*>()) {
      if (action->text() == find<QDockWidget>(pane)->windowTitle() && action->isCheckable()) toggle = action;
    }
    ASSERT_NE(toggle, nullptr);
    for (int i = 0; i < 2; ++i) toggle->trigger();
    if (!find<QDockWidget>(pane)->isVisible()) toggle->trigger();
  }
  for (const auto& [to, from] : {std::pair(LanguageChoice::German, LanguageChoice::English),
                                 std::pair(LanguageChoice::English, LanguageChoice::German)}) {
    if (isGerman() != (from == LanguageChoice::German)) speak(from);
    settle();
    speak(to);
    settle();
    const QStringList switched = textsOf(m_app->window());
    m_app->window().close();
    m_app.reset();
    start();
    ASSERT_EQ(isGerman(), to == LanguageChoice::German);
    settle();
    const QStringList fresh = textsOf(m_app->window());
    for (const QString& text : switched) EXPECT_TRUE(fresh.contains(text)) << "only switched: " << text.toStdString();
    for (const QString& text : fresh) EXPECT_TRUE(switched.contains(text)) << "only fresh: " << text.toStdString();
  }
}

TEST_F(AppLanguageTest, an_answer_goes_on_and_the_window_stays_over_twenty_switches) {
  type("hello");
  ASSERT_TRUE(waitFor([&] { return m_app->chat().session().activity() != ui::Activity::Reading; }));
  ui::MainWindow* window = &m_app->window();
  const QRect place = window->geometry();
  auto* edit = find<QPlainTextEdit>("messageEdit");
  edit->setPlainText("what I write meanwhile");
  QTextCursor cursor = edit->textCursor();
  cursor.setPosition(5);
  cursor.setPosition(6, QTextCursor::KeepAnchor);
  edit->setTextCursor(cursor);
  edit->setFocus();
  for (int i = 0; i < 20; ++i) speak(i % 2 == 0 ? LanguageChoice::German : LanguageChoice::English);
  EXPECT_FALSE(isGerman());
  EXPECT_EQ(&m_app->window(), window);
  EXPECT_TRUE(window->isVisible());
  EXPECT_EQ(window->geometry(), place);
  edit = find<QPlainTextEdit>("messageEdit");
  EXPECT_EQ(edit->toPlainText(), "what I write meanwhile");
  EXPECT_EQ(edit->textCursor().selectedText(), "I");
  EXPECT_EQ(window->focusWidget(), edit);
  ASSERT_TRUE(answered());
  ASSERT_EQ(tree().path().size(), 2);
  const ui::Turn& answer = *tree().find(tree().path()[1]);
  EXPECT_GT(answer.generatedTokens, 0U);
  EXPECT_TRUE(waitFor([&] { return visibleButton("regenerate") != nullptr; })) << "the new view shows its end";
  visibleButton("regenerate")->click();
  EXPECT_TRUE(answered()) << "one window alone hears the button";
  EXPECT_EQ(tree().versions(tree().path()[1]).size(), 2);
}

TEST_F(AppLanguageTest, a_message_that_is_edited_and_its_file_stay) {
  type("first");
  ASSERT_TRUE(answered());
  ASSERT_TRUE(waitFor([&] { return visibleButton("editMessage") != nullptr; }));
  visibleButton("editMessage")->click();
  find<QPlainTextEdit>("messageEdit")->setPlainText("changed");
  QFile file(m_data.filePath("notes.txt"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("some text");
  file.close();
  drop(m_app->chat(), file.fileName());
  speak(LanguageChoice::German);  // perhaps while the file is being read
  EXPECT_EQ(find<QPlainTextEdit>("messageEdit")->toPlainText(), "changed");
  EXPECT_TRUE(find<QWidget>("editBar")->isVisible());
  ASSERT_TRUE(waitFor([&] {
    const auto* chip = m_app->window().findChild<QToolButton*>("attachmentChip");
    return chip != nullptr && chip->isEnabled() && chip->text().contains("notes.txt");
  }));
  find<QPushButton>("sendButton")->click();
  ASSERT_TRUE(answered());
  EXPECT_EQ(tree().find(tree().path()[0])->text, "changed");
  EXPECT_EQ(tree().find(tree().path()[0])->attachments.size(), 1);
}

TEST_F(AppLanguageTest, the_library_stays_open_with_what_is_searched_there) {
  m_app->window().showLibrary(true);
  find<QLineEdit>("librarySearch")->setText("qwen");
  find<QTabBar>("libraryTabs")->setCurrentIndex(1);
  find<QLineEdit>("hubField")->setText("org/name");
  speak(LanguageChoice::German);
  EXPECT_TRUE(find<QWidget>("libraryPage")->isVisible());
  EXPECT_FALSE(m_app->chat().isVisible());
  EXPECT_EQ(find<QLineEdit>("librarySearch")->text(), "qwen");
  EXPECT_EQ(find<QTabBar>("libraryTabs")->currentIndex(), 1);
  EXPECT_EQ(find<QLineEdit>("hubField")->text(), "org/name");
  EXPECT_TRUE(find<QAction>("actionLibrary")->isChecked());
}

TEST_F(AppLanguageTest, the_models_of_the_library_stay_where_they_were_scrolled) {
  const QDir folder(m_data.filePath("models"));
  ASSERT_TRUE(QDir().mkpath(folder.path()));
  for (int i = 0; i < 30; ++i)
    ASSERT_TRUE(QFile::copy(kGoldenModel, folder.filePath(QStringLiteral("m%1.gguf").arg(i))));
  m_app->window().showLibrary(true);
  const auto bar = [&] { return find<QListView>("libraryList")->verticalScrollBar(); };
  ASSERT_TRUE(waitFor([&] { return m_app->library().model().rowCount() >= 30 && bar()->maximum() > 100; }));
  bar()->setValue(100);
  speak(LanguageChoice::German);
  EXPECT_TRUE(waitFor([&] { return bar()->value() == 100; })) << bar()->value();
}

TEST_F(AppLanguageTest, panes_and_messages_stay) {
  m_app->window().resize(1600, 900);
  auto* memory = find<QDockWidget>("memoryDock");
  const bool memoryWasShown = memory->isVisible();
  find<QToolButton>("vramButton")->defaultAction()->trigger();
  QTest::qWait(100);
  const bool vramWasShown = find<QDockWidget>("vramDock")->isVisible();
  const int width = memory->width();
  m_app->window().showMessage(ui::Tone::Warning, ui::Sentence::plain("First."), ui::Sentence::plain("Details."));
  m_app->window().showMessage(ui::Tone::Bad, ui::Sentence::plain("Second."));
  speak(LanguageChoice::German);
  QTest::qWait(100);  // docks are laid out
  EXPECT_EQ(find<QDockWidget>("memoryDock")->isVisible(), memoryWasShown);
  EXPECT_EQ(find<QDockWidget>("vramDock")->isVisible(), vramWasShown);
  if (memoryWasShown) {
    EXPECT_EQ(find<QDockWidget>("memoryDock")->width(), width);
  }
  EXPECT_EQ(find<ui::MessageBar>("messageBar")->count(), 2);
  EXPECT_EQ(find<QLabel>("messageText")->text(), "Second.");
}

// Nothing of the window can be used below the dialog, so its language cannot be changed by hand; what runs goes on all
// the same.
TEST_F(AppLanguageTest, a_verification_runs_on_in_its_dialog) {
  emit m_app->window().helpOpening();
  find<QAction>("actionVerify")->trigger();
  auto* dialog = m_app->window().findChild<ui::VerifyDialog*>();
  ASSERT_NE(dialog, nullptr);
  EXPECT_EQ(dialog->windowModality(), Qt::WindowModal);
  dialog->findChild<QPushButton*>("startVerify")->click();
  speak(LanguageChoice::German);
  ASSERT_EQ(m_app->window().findChild<ui::VerifyDialog*>(), dialog);
  EXPECT_TRUE(dialog->isVisible());
  ASSERT_TRUE(waitFor([&] { return dialog->findChild<QPushButton*>("saveReport")->isVisible(); }));
  ASSERT_NE(dialog->findChild<QLabel*>("verifyVerdict"), nullptr);
}

TEST_F(AppLanguageTest, a_load_goes_on_and_ends_in_the_new_window) {
  drop(m_app->window(), kDropped);
  ASSERT_TRUE(waitFor([&] { return m_app->models().path() == kDropped; }));
  ASSERT_TRUE(waitFor([&] { return find<QPushButton>("loadButton")->isEnabled(); }));
  QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
  find<QPushButton>("loadButton")->click();
  speak(LanguageChoice::German);
  ASSERT_TRUE(waitFor([&] { return loaded.count() == 1; }));
  ASSERT_NE(m_app->models().load().loaded(), nullptr);
  EXPECT_EQ(m_app->models().load().loaded()->path, kDropped);
  EXPECT_TRUE(find<QLabel>("modelName")->text().contains("qwen3", Qt::CaseInsensitive));
  agreeToTemplate();
  type("hello");
  ASSERT_TRUE(answered());
}

// The words of a widget are what they are when it is built; these sentences stand, and are said anew.
TEST_F(AppLanguageTest, messages_that_stand_are_said_in_the_new_language) {
  const QString folder = m_data.filePath("no models");
  ASSERT_TRUE(QDir().mkpath(folder));
  m_app->takeOver({{folder, kDropped}, {}});  // of both the first is opened, which is none
  auto* bar = find<ui::MessageBar>("messageBar");
  ASSERT_TRUE(waitFor([&] { return bar->count() == 2; }));
  const QString refusal = bar->sentence();
  EXPECT_TRUE(refusal.contains("holds no safetensors files. Headroom opens GGUF files")) << refusal.toStdString();
  speak(LanguageChoice::German);
  bar = find<ui::MessageBar>("messageBar");
  ASSERT_EQ(bar->count(), 2);
  EXPECT_EQ(bar->sentence(), ui::wordsOf(ui::whyNotOpenable(folder))) << "it is the refusal of this folder";
  EXPECT_NE(bar->sentence(), refusal);
  EXPECT_EQ(find<QLabel>("messageText")->text(), bar->sentence());
  bar->findChild<QToolButton*>()->click();
  EXPECT_EQ(bar->sentence(),
            Application::tr("One model is open at a time: of %1 files, %2 is the one.").arg("2", "no models"));
  EXPECT_FALSE(bar->sentence().contains("One model"));
}

TEST_F(AppLanguageTest, what_a_download_and_the_hubs_list_said_is_said_in_the_new_language) {
  m_app->window().showLibrary(true);
  find<QTabBar>("libraryTabs")->setCurrentIndex(1);
  QFile other(m_data.filePath("there.gguf"));
  ASSERT_TRUE(other.open(QIODevice::WriteOnly));
  other.write("another file");
  other.close();
  m_app->downloads().downloads().add(
      {{}, m_data.path(), {{"there.gguf", QUrl("http://127.0.0.1:1/there.gguf"), 5, {}, {}, {}}}});
  const auto state = [&] { return find<QLabel>("state")->text(); };
  ASSERT_TRUE(waitFor([&] { return state().contains("is another file"); })) << state().toStdString();
  find<QLineEdit>("hubField")->setText("no name");
  find<QPushButton>("look")->click();
  const auto told = [&] { return find<QWidget>("downloadPanel")->findChild<QLabel*>("message")->text(); };
  ASSERT_TRUE(waitFor([&] { return told().startsWith("This names no model"); })) << told().toStdString();
  speak(LanguageChoice::German);
  EXPECT_EQ(
      state(),
      ui::Transfer::tr("%1 is in the folder %2 already, and is another file. Move it away, or remove it, and try again")
          .arg("there.gguf", m_data.path()));
  EXPECT_FALSE(state().contains("is another file"));
  EXPECT_EQ(told(), ui::wordsOf(ui::parseHubReference("no name", ui::hubAddress({})).error().message));
  EXPECT_FALSE(told().startsWith("This names no model"));
}

TEST_F(AppLanguageTest, the_find_bar_stays_open_with_its_text_and_at_its_hit) {
  type("tea, more tea and tea again");
  ASSERT_TRUE(answered());
  auto* bar = find<ui::FindBar>("findBar");
  bar->open();
  find<QLineEdit>("findField")->setText("tea");
  const auto count = [&] { return find<QLabel>("findCount")->text(); };
  ASSERT_TRUE(waitFor([&] { return count().startsWith("1 of "); })) << count().toStdString();
  find<QToolButton>("findNext")->click();
  const QString english = count();
  ASSERT_TRUE(english.startsWith("2 of ")) << english.toStdString();
  find<QLineEdit>("findField")->setFocus();
  speak(LanguageChoice::German);
  EXPECT_TRUE(find<ui::FindBar>("findBar")->isVisible());
  EXPECT_EQ(find<QLineEdit>("findField")->text(), "tea");
  EXPECT_EQ(m_app->window().focusWidget(), find<QLineEdit>("findField"));
  const QString german = QString(english).replace("of", "von");
  EXPECT_TRUE(waitFor([&] { return count() == german; })) << count().toStdString();
  find<QToolButton>("findClose")->click();
  speak(LanguageChoice::English);
  EXPECT_FALSE(find<ui::FindBar>("findBar")->isVisible()) << "one that is closed stays closed";
}

TEST_F(AppLanguageTest, a_file_that_is_looked_at_stays_open_where_it_was) {
  ui::ChatDraft& draft = m_app->chat().session().draft();
  draft.handleEvent(ui::draft_event::FileAdded{1, "notes.txt"});
  draft.handleEvent(ui::draft_event::FileRead{1, {"notes.txt", QString("a line of notes\n").repeated(400)}});
  ASSERT_TRUE(waitFor([&] { return find<QToolButton>("attachmentChip")->isEnabled(); }))
      << "the chip of before is gone";
  find<QToolButton>("attachmentChip")->click();
  const QPointer<ui::AttachmentViewer> viewer(find<ui::AttachmentViewer>("attachmentViewer"));
  ASSERT_NE(viewer, nullptr);
  viewer->findChild<QLineEdit*>("attachmentFind")->setText("notes");
  QScrollBar* bar = viewer->findChild<QPlainTextEdit*>("attachmentText")->verticalScrollBar();
  bar->setValue(120);
  ASSERT_EQ(bar->value(), 120);
  speak(LanguageChoice::German);
  ASSERT_NE(viewer, nullptr) << "it stays";
  EXPECT_TRUE(viewer->isVisible());
  EXPECT_EQ(bar->value(), 120);
  const auto* count = viewer->findChild<QLabel*>("attachmentHits");
  EXPECT_TRUE(waitFor([&] { return count->text() == "1 von 400"; })) << count->text().toStdString();
  EXPECT_EQ(viewer->findChild<QPushButton*>("copyAttachment")->text(), ui::AttachmentViewer::tr("Copy all"));
  EXPECT_NE(ui::AttachmentViewer::tr("Copy all"), "Copy all");
  viewer->findChild<QPushButton*>("saveAttachment")->click();
  emit viewer->findChild<QFileDialog*>()->fileSelected(m_data.filePath("absent/notes.txt"));
  ASSERT_TRUE(waitFor([&] { return find<ui::MessageBar>("messageBar")->count() == 1; })) << "the new window hears it";
  viewer->close();
}

// All threads that write are held, so that nothing is written before the switch.
TEST_F(AppLanguageTest, what_was_being_exported_is_told_by_the_new_window) {
  type("hello");
  ASSERT_TRUE(answered());
  QSemaphore gate;
  QThreadPool& writers = ui::writingThreads();
  for (int i = 0; i < writers.maxThreadCount(); ++i) writers.start([&gate] { gate.acquire(); });
  emit find<ui::ConversationList>("conversationPane")->exportChosen(m_app->chat().session().head().id, "hello", false);
  emit m_app->chat().findChild<QFileDialog*>()->fileSelected(m_data.filePath("absent/hello.md"));
  m_app->window().exportChart(m_data.filePath("absent/chart.csv"));
  speak(LanguageChoice::German);
  EXPECT_EQ(find<ui::MessageBar>("messageBar")->count(), 0);
  gate.release(writers.maxThreadCount());
  ASSERT_TRUE(waitFor([&] { return find<ui::MessageBar>("messageBar")->count() == 2; }));
  QStringList told;
  for (const ui::BarMessage& message : find<ui::MessageBar>("messageBar")->messages()) told << message.sentence.text();
  const QString why = ui::wordsOf(ui::writeWholeFile(m_data.filePath("absent/hello.md"), {}));
  EXPECT_TRUE(told.contains(ui::ConversationExport::tr("The conversation could not be written to %1: %2.")
                                .arg(m_data.filePath("absent/hello.md"), why)))
      << told.join('|').toStdString();
  EXPECT_TRUE(told.contains(ui::MainWindow::tr("The chart could not be written to \u201c%1\u201d: %2.")
                                .arg(m_data.filePath("absent/chart.csv"), why)))
      << told.join('|').toStdString();
  EXPECT_FALSE(told.join(' ').contains("could not be written"));
}

TEST_F(AppLanguageTest, an_import_that_fails_meanwhile_is_told_by_the_new_window) {
  QFile file(m_data.filePath("chat.json"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("[1, 2]");
  file.close();
  QSemaphore gate;
  QThreadPool& readers = ui::readingThreads();
  for (int i = 0; i < readers.maxThreadCount(); ++i) readers.start([&gate] { gate.acquire(); });
  emit find<ui::ConversationList>("conversationPane")->importChosen();
  emit m_app->chat().findChild<QFileDialog*>()->fileSelected(file.fileName());
  speak(LanguageChoice::German);
  gate.release(readers.maxThreadCount());
  ASSERT_TRUE(waitFor([&] { return find<ui::MessageBar>("messageBar")->count() == 1; }));
  const QString told = find<ui::MessageBar>("messageBar")->sentence();
  EXPECT_TRUE(told.startsWith("chat.json ")) << told.toStdString();
  EXPECT_FALSE(told.contains("not imported") || told.contains("It is JSON")) << told.toStdString();
}

TEST_F(AppLanguageTest, tabs_pressed_buttons_and_pages_stay_where_they_were) {
  m_app->window().resize(1700, 500);
  for (const char* dock : {"memoryDock", "vramDock"}) {
    if (find<QDockWidget>(dock)->isVisible()) continue;
    const QString title = find<QDockWidget>(dock)->windowTitle();
    for (QAction* action : m_app->window().findChildren<QAction*>()) {
      if (action->text() == title && action->isCheckable()) action->trigger();
    }
  }
  settle();
  find<QTabWidget>("planTabs")->setCurrentIndex(1);
  find<QToolButton>("oursAlone")->setChecked(true);
  const auto bar = [&](const char* area) { return find<QScrollArea>(area)->verticalScrollBar(); };
  ASSERT_TRUE(waitFor([&] { return bar("memoryArea")->maximum() > 40; }));
  bar("memoryArea")->setValue(40);
  find<QAction>("actionSettings")->trigger();
  auto* dialog = find<ui::SettingsDialog>("settingsDialog");
  dialog->resize(dialog->minimumSize());
  ASSERT_TRUE(waitFor([&] { return bar("settingsArea0")->maximum() > 20; }));
  bar("settingsArea0")->setValue(20);
  speak(LanguageChoice::German);
  EXPECT_EQ(find<QTabWidget>("planTabs")->currentIndex(), 1);
  EXPECT_EQ(find<QTabWidget>("planTabs")->tabText(1), ui::MemoryPanel::tr("Formulas"));
  EXPECT_TRUE(find<QToolButton>("oursAlone")->isChecked());
  EXPECT_TRUE(waitFor([&] { return bar("memoryArea")->value() == 40; })) << bar("memoryArea")->value();
  EXPECT_TRUE(waitFor([&] { return bar("settingsArea0")->value() == 20; })) << bar("settingsArea0")->value();
}

TEST_F(AppLanguageTest, the_list_of_conversations_stays_where_it_was_scrolled) {
  m_app->window().resize(1400, 480);
  for (int i = 0; i < 40; ++i) {
    ui::Conversation conversation;
    conversation.head = {QString::number(i), QStringLiteral("Conversation %1").arg(i), {}, i, i};
    conversation.turns.emplace_back().id = QString::number(i);
    m_app->sessions().importConversation(conversation);
  }
  const auto bar = [&] { return find<QListView>("conversationList")->verticalScrollBar(); };
  ASSERT_TRUE(waitFor([&] { return bar()->maximum() > 6; })) << bar()->maximum();
  bar()->setValue(bar()->maximum() / 2);
  const int before = bar()->value();
  speak(LanguageChoice::German);
  EXPECT_TRUE(waitFor([&] { return bar()->value() == before; })) << bar()->value() << " and not " << before;
}

// In a narrow window Memory stands in front of the library.
TEST_F(AppLanguageTest, the_library_is_there_again_when_a_pane_that_covers_it_goes) {
  m_app->window().resize(640, 600);
  m_app->window().showLibrary(true);
  find<QAbstractButton>("memoryChip")->click();
  ASSERT_TRUE(waitFor([&] { return find<QDockWidget>("memoryDock")->isVisible(); }));
  ASSERT_FALSE(find<QWidget>("libraryPage")->isVisible());
  speak(LanguageChoice::German);
  EXPECT_TRUE(find<QDockWidget>("memoryDock")->isVisible()) << "what covers stays too";
  EXPECT_TRUE(find<QAction>("actionLibrary")->isChecked());
  find<QAbstractButton>("memoryChip")->click();
  ASSERT_TRUE(waitFor([&] { return !find<QDockWidget>("memoryDock")->isVisible(); }));
  EXPECT_TRUE(find<QWidget>("libraryPage")->isVisible());
  EXPECT_FALSE(m_app->chat().isVisible());
}

}  // namespace
}  // namespace headroom::app
