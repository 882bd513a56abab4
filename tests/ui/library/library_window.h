// The whole window with a library of real files in a folder of the test's own.
#pragma once

#include <QListView>

#include "tests/ui/library/library_folders.h"
#include "tests/ui/main_window/window_fixture.h"
#include "ui/library/library_page.h"

namespace headroom::ui {

class LibraryWindow : public WindowFixture {
 protected:
  void SetUp() override {
    m_settings.folders.prepend(m_disk.text("m"));
    std::filesystem::create_directories(m_disk.path("m"));
    WindowFixture::SetUp();
    makeLibrary();
    m_window->activateWindow();
    ASSERT_TRUE(waitFor([&] { return m_window->isActiveWindow(); }));
  }
  void TearDown() override {
    m_window.reset();
    m_library.reset();
    libraryThreads().waitForDone();
    WindowFixture::TearDown();
  }
  void makeLibrary() {
    m_library = std::make_unique<ModelLibrary>(m_inspect, m_disk.places(), m_settings);
    m_library->setDevices(m_controller->calculator().startingDevices());
    m_page = new LibraryPage(m_theme, *m_library);
    m_window->setLibraryPage(m_page);
  }
  // A model that the window can open too.
  QString addModel(const char* below) {
    m_disk.addModel(below);
    const QString path = m_disk.text(below);
    const Result<ModelInfo> model = test::readHeader(path);
    EXPECT_TRUE(model.ok());
    if (model.ok()) m_models[path] = *model;
    return path;
  }
  QListView* list() const { return find<QListView>("libraryList"); }
  QStringList shown() const {
    QStringList names;
    for (int i = 0; i < list()->model()->rowCount(); ++i) names << list()->model()->index(i, 0).data().toString();
    return names;
  }
  // Opens the page, and waits until all that is there is read and planned.
  void openLibrary(int nModels) {
    m_window->showLibrary(true);
    ASSERT_TRUE(waitFor([&] {
      const auto& entries = m_library->model().entries();
      return entries.size() == nModels && !m_library->isBusy() &&
             std::all_of(entries.begin(), entries.end(), [](const LibraryEntry& entry) {
               return !entry.canLoad() || entry.fit.kind != ModelFit::Kind::Unknown;
             });
    }));
    QTest::qWait(100);
  }

  test::LibraryFolders m_disk;
  LibrarySettings m_settings;
  InspectModel m_inspect = test::readHeader;
  std::unique_ptr<ModelLibrary> m_library;
  LibraryPage* m_page = nullptr;
};

}  // namespace headroom::ui
