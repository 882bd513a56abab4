#include "ui/library/library_page.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QToolButton>

#include "tests/ui/library/library_window.h"
#include "ui/main_window/tab_order.h"

namespace headroom::ui {
namespace {

class LibraryPageTest : public LibraryWindow {
 protected:
  bool isLibraryShown() const { return m_page->isVisible(); }
  QAction* action() const { return find<QAction>("actionLibrary"); }
  QString chosenText() const { return find<QLabel>("libraryChosenText")->text(); }
  QAction* inMenu(const QString& text) {
    QTest::keyClick(list(), Qt::Key_Menu);
    auto* menu = m_page->findChild<QMenu*>("libraryMenu", Qt::FindDirectChildrenOnly);
    if (menu == nullptr) return nullptr;
    for (QAction* each : menu->actions()) {
      if (each->text() == text) return each;
    }
    return nullptr;
  }
  void closeMenu() {
    for (auto* menu : m_page->findChildren<QMenu*>("libraryMenu")) delete menu;
  }
};

TEST_F(LibraryPageTest, it_stands_in_the_place_of_the_chat_until_escape_or_its_button) {
  EXPECT_FALSE(isLibraryShown());
  action()->trigger();
  EXPECT_TRUE(isLibraryShown());
  EXPECT_TRUE(action()->isChecked());
  EXPECT_EQ(QApplication::focusWidget(), find<QLineEdit>("librarySearch"));
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
  EXPECT_FALSE(isLibraryShown());
  EXPECT_FALSE(action()->isChecked());
  action()->trigger();
  find<QPushButton>("libraryBack")->click();
  EXPECT_FALSE(isLibraryShown());
  EXPECT_EQ(action()->shortcut(), QKeySequence("Ctrl+3"));
}

TEST_F(LibraryPageTest, the_header_and_the_menu_of_the_model_lead_there) {
  QToolButton* inHeader = nullptr;
  for (auto* button : m_window->findChildren<QToolButton*>()) {
    if (button->defaultAction() == action()) inHeader = button;
  }
  ASSERT_NE(inHeader, nullptr);
  EXPECT_TRUE(inHeader->isVisible());
  inHeader->click();
  EXPECT_TRUE(isLibraryShown());
  auto* menu = find<QMenu>("modelMenu");
  emit menu->aboutToShow();
  EXPECT_TRUE(menu->actions().contains(action()));
}

TEST_F(LibraryPageTest, without_a_library_nothing_leads_there) {
  m_library.reset();
  makeWindow({});
  EXPECT_FALSE(action()->isVisible());
  m_window->showLibrary(true);
  EXPECT_FALSE(action()->isChecked());
}

TEST_F(LibraryPageTest, each_model_says_whether_it_fits_and_enter_loads_it) {
  const QString path = addModel("m/Alpha-Q8_0.gguf");
  m_disk.settle(m_disk.addText("m/Broken.gguf"));
  openLibrary(2);
  EXPECT_EQ(shown(), (QStringList{"Alpha-Q8_0", "Broken"}));
  const QModelIndex row = list()->model()->index(0, 0);
  EXPECT_TRUE(row.data(LibraryModel::BadgeRole).toString().startsWith("Fits in RAM"));
  EXPECT_TRUE(row.data(Qt::AccessibleTextRole).toString().contains("Fits in RAM"));
  EXPECT_EQ(find<QLabel>("libraryCount")->text(), "2 models");
  QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
  EXPECT_EQ(QApplication::focusWidget(), list());
  EXPECT_TRUE(chosenText().startsWith("Fits in RAM"));
  QTest::keyClick(list(), Qt::Key_Down);
  EXPECT_TRUE(chosenText().contains("Not a GGUF file")) << chosenText().toStdString();
  EXPECT_FALSE(find<QPushButton>("libraryLoad")->isEnabled());
  QTest::keyClick(list(), Qt::Key_Return);
  EXPECT_TRUE(isLibraryShown()) << "there is nothing to load";
  QTest::keyClick(list(), Qt::Key_Up);
  QTest::keyClick(list(), Qt::Key_Return);
  EXPECT_FALSE(isLibraryShown());
  ASSERT_TRUE(waitFor([&] { return !m_engine.loads.empty(); }));
  EXPECT_EQ(m_engine.loads[0].path, path);
}

TEST_F(LibraryPageTest, a_double_click_and_the_button_load_too_and_a_plan_loads_nothing) {
  addModel("m/Alpha.gguf");
  const QString beta = addModel("m/Beta.gguf");
  openLibrary(2);
  list()->setCurrentIndex(list()->model()->index(1, 0));
  find<QPushButton>("libraryPlan")->click();
  ASSERT_TRUE(waitFor([&] { return m_controller->path() == beta; }));
  EXPECT_TRUE(isLibraryShown());
  EXPECT_TRUE(m_engine.loads.empty());
  const QPoint at = list()->visualRect(list()->model()->index(0, 0)).center();
  QTest::mouseClick(list()->viewport(), Qt::LeftButton, {}, at);
  QTest::mouseDClick(list()->viewport(), Qt::LeftButton, {}, at);
  EXPECT_FALSE(isLibraryShown());
  ASSERT_TRUE(waitFor([&] { return m_engine.loads.size() == 1; }));
  m_window->showLibrary(true);
  list()->setCurrentIndex(list()->model()->index(1, 0));
  find<QPushButton>("libraryLoad")->click();
  ASSERT_TRUE(waitFor([&] { return m_controller->path() == beta; }));
}

TEST_F(LibraryPageTest, a_search_and_an_order_change_what_is_shown) {
  for (const char* name : {"m/Alpha-Q8_0.gguf", "m/Beta-Q4_0.gguf", "m/Gamma-Q8_0.gguf"}) addModel(name);
  openLibrary(3);
  auto* search = find<QLineEdit>("librarySearch");
  search->setText("q8 gam");
  QTest::qWait(20);
  EXPECT_EQ(shown(), QStringList("Gamma-Q8_0"));
  EXPECT_EQ(find<QLabel>("libraryCount")->text(), "1 of 3 models");
  search->setText("nothing at all");
  QTest::qWait(20);
  EXPECT_FALSE(list()->isVisible());
  EXPECT_TRUE(find<QWidget>("libraryEmpty")->isVisible());
  EXPECT_FALSE(find<QPushButton>("libraryAddFolder")->isVisible()) << "there are models";
  QTest::keyClick(search, Qt::Key_Escape);
  EXPECT_EQ(shown().size(), 3) << "Escape clears the search before it leaves";
  EXPECT_TRUE(isLibraryShown());
  auto* sort = find<QComboBox>("librarySort");
  QStringList orders;
  for (int i = 0; i < sort->count(); ++i) {
    sort->setCurrentIndex(i);
    orders << shown().join(' ');
  }
  EXPECT_EQ(sort->count(), 4);
  EXPECT_EQ(orders[0], "Alpha-Q8_0 Beta-Q4_0 Gamma-Q8_0");
}

TEST_F(LibraryPageTest, without_models_it_says_what_to_do) {
  m_window->showLibrary(true);
  ASSERT_TRUE(waitFor([&] { return !m_library->folders().isEmpty() && !m_library->isBusy(); }));
  QTest::qWait(20);
  EXPECT_TRUE(find<QWidget>("libraryEmpty")->isVisible());
  EXPECT_TRUE(find<QPushButton>("libraryAddFolder")->isVisible());
  EXPECT_FALSE(find<QPushButton>("libraryToDownloads")->isVisible());
  EXPECT_FALSE(find<QWidget>("libraryChosen")->isVisible());
}

TEST_F(LibraryPageTest, downloads_are_a_second_place_behind_a_tab_that_is_not_shown_without_them) {
  auto* tabs = find<QTabBar>("libraryTabs");
  m_window->showLibrary(true);
  EXPECT_FALSE(tabs->isVisible());
  auto* downloads = new QLabel("downloads");
  m_page->setDownloads(downloads);
  EXPECT_TRUE(tabs->isVisible());
  EXPECT_FALSE(downloads->isVisible());
  m_page->showDownloads();
  EXPECT_TRUE(downloads->isVisible());
  m_page->showModels();
  EXPECT_FALSE(downloads->isVisible());
}

TEST_F(LibraryPageTest, a_folder_that_is_offline_is_said_above_its_models) {
  addModel("m/Alpha.gguf");
  openLibrary(1);
  auto* notices = find<QLabel>("libraryNotices");
  EXPECT_FALSE(notices->isVisible());
  std::filesystem::rename(m_disk.path("m"), m_disk.path("away"));
  ASSERT_TRUE(waitFor([&] { return notices->isVisible(); }));
  EXPECT_EQ(
      notices->text(),
      QStringLiteral("Folder offline: %1 cannot be reached. Its model comes back with it.").arg(m_disk.text("m")));
  EXPECT_EQ(shown(), QStringList("Alpha"));
  EXPECT_TRUE(chosenText().startsWith("Offline"));
  EXPECT_FALSE(find<QPushButton>("libraryLoad")->isEnabled());
}

TEST_F(LibraryPageTest, the_menu_of_a_row_copies_its_path_and_asks_before_the_trash) {
  const QString path = addModel("m/Alpha.gguf");
  openLibrary(1);
  list()->setFocus();
  ASSERT_NE(inMenu("Copy path"), nullptr);
  inMenu("Copy path")->trigger();
  EXPECT_EQ(QApplication::clipboard()->text(), path);
  closeMenu();
  EXPECT_TRUE(inMenu("Show in folder")->isEnabled());
  closeMenu();
  QAction* trash = inMenu("Move to trash…");
  ASSERT_TRUE(trash != nullptr && trash->isEnabled());
  trash->trigger();
  auto* question = m_page->findChild<QMessageBox*>("trashQuestion");
  ASSERT_NE(question, nullptr);
  EXPECT_TRUE(question->text().contains("Alpha"));
  EXPECT_EQ(question->defaultButton(), question->button(QMessageBox::Cancel));
  question->reject();
  EXPECT_TRUE(QFile::exists(path));
  closeMenu();
  m_library->setLoadedPath(path);
  QTest::qWait(20);
  EXPECT_FALSE(inMenu("Move to trash…")->isEnabled()) << "it is loaded";
  EXPECT_FALSE(find<QPushButton>("libraryLoad")->isEnabled());
  closeMenu();
}

TEST_F(LibraryPageTest, a_file_of_another_program_is_never_moved) {
  addModel("home/.lmstudio/models/a/Alpha.gguf");
  openLibrary(1);
  list()->setFocus();
  EXPECT_FALSE(inMenu("Move to trash…")->isEnabled());
  closeMenu();
  QTest::keyClick(list(), Qt::Key_Delete);
  EXPECT_EQ(m_page->findChild<QMessageBox*>("trashQuestion"), nullptr);
}

TEST_F(LibraryPageTest, the_keyboard_reaches_all_of_it_and_what_it_reaches_has_a_name) {
  addModel("m/Alpha.gguf");
  openLibrary(1);
  QStringList names;
  for (QWidget* widget : tabOrder(*m_page)) {
    names << widget->objectName();
    const auto* button = qobject_cast<QPushButton*>(widget);
    EXPECT_TRUE(button != nullptr ? !button->text().isEmpty() : !widget->accessibleName().isEmpty())
        << widget->objectName().toStdString();
  }
  EXPECT_EQ(names, (QStringList{"libraryFolders", "libraryBack", "librarySearch", "librarySort", "libraryList",
                                "libraryPlan", "libraryLoad"}));
}

TEST_F(LibraryPageTest, it_is_no_wider_than_the_chat_may_be) {
  addModel("m/A model with a very long name that goes on and on and on and on and on-Q4_K_M.gguf");
  openLibrary(1);
  EXPECT_LE(m_page->minimumSizeHint().width(), kLeastChatPx);
  m_window->resize(640, 480);
  QTest::qWait(50);
  EXPECT_EQ(m_window->width(), 640);
}

TEST_F(LibraryPageTest, writing_a_message_leads_back_to_the_chat) {
  m_window->showLibrary(true);
  m_window->setChatWidget(new QWidget);
  EXPECT_TRUE(isLibraryShown()) << "another chat behind it";
  for (QAction* each : m_window->findChildren<QAction*>()) {
    if (each->shortcut() == QKeySequence("Ctrl+L")) each->trigger();
  }
  EXPECT_FALSE(isLibraryShown());
}

}  // namespace
}  // namespace headroom::ui
