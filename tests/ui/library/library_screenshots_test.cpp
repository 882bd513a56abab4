// Pictures of the library in both themes, to be looked at.
#include <QDir>
#include <QPixmap>
#include <cstdio>

#include "tests/ui/library/library_window.h"

namespace headroom::ui {
namespace {

class LibraryScreenshots : public LibraryWindow, public testing::WithParamInterface<ThemeChoice> {
 protected:
  void SetUp() override {
    m_freeBytes = 15 * kGiB;
    m_gpus = {presentGpu("cuda:0", 6 * kGiB)};
    m_settings.folders << QStringLiteral("/media/disk/models");
    m_inspect = [this](const QString& path) -> Result<ModelInfo> {
      const auto at = m_shapes.find(path);
      return at != m_shapes.end() ? Result<ModelInfo>(at->second) : test::readHeader(path);
    };
    LibraryWindow::SetUp();
    m_theme.setChoice(GetParam());
  }
  // A file that says it holds this.
  QString addShape(const QString& name, const test::ModelShape& shape) {
    const std::string below = "m/" + name.toStdString() + ".gguf";
    m_disk.settle(m_disk.addText(below));
    m_shapes[m_disk.text(below.c_str())] = test::make_model(shape);
    return m_disk.text(below.c_str());
  }
  void take(const QString& state, QSize size) {
    m_window->resize(size);
    QTest::qWait(300);
    const QPixmap picture = m_window->grab();
    EXPECT_EQ(picture.deviceIndependentSize().toSize(), size);
    QDir().mkpath(QStringLiteral(HEADROOM_SCREENSHOTS));
    const QString path = QStringLiteral("%1/%2-%3-%4.png")
                             .arg(QStringLiteral(HEADROOM_SCREENSHOTS), state,
                                  GetParam() == ThemeChoice::Dark ? QStringLiteral("dark") : QStringLiteral("light"))
                             .arg(size.width());
    ASSERT_TRUE(picture.save(path));
    std::printf("screenshot: %s\n", qPrintable(path));
  }
  std::map<QString, ModelInfo> m_shapes;
};

TEST_P(LibraryScreenshots, models_that_fit_that_fit_partly_and_that_do_not) {
  addShape("Llama-3.2-1B-Instruct-Q4_K_M", test::kLlama32_1B);
  const QString loaded = addShape("Qwen3-8B-Q4_K_M", test::kQwen3_8B);
  addShape("Qwen3-30B-A3B-Instruct-2507-UD-Q4_K_XL", test::kQwen3_30B_A3B);
  addShape("Meta-Llama-3-70B-Instruct-Q4_K_M", test::kLlama3_70B);
  m_disk.settle(m_disk.addText("m/broken.gguf"));
  for (const char* part : {"m/gemma-3-27b-it-Q8_0-00001-of-00003.gguf", "m/gemma-3-27b-it-Q8_0-00002-of-00003.gguf"})
    m_disk.settle(m_disk.addText(part));
  m_library->setLoadedPath(loaded);
  openLibrary(6);
  QStringList badges;
  for (const LibraryEntry& entry : m_library->model().entries()) badges << badgeText(entry);
  for (const char* badge : {"Fits · about", "in RAM · about", "Too large by", "Cannot be read", "Incomplete"})
    EXPECT_FALSE(badges.filter(QString::fromUtf8(badge)).isEmpty()) << badge << ": " << badges.join('|').toStdString();
  take(QStringLiteral("20-library"), {1440, 900});
  take(QStringLiteral("20-library"), {640, 720});
}

TEST_P(LibraryScreenshots, no_models_yet) {
  m_window->showLibrary(true);
  ASSERT_TRUE(waitFor([&] { return !m_library->folders().isEmpty() && !m_library->isBusy(); }));
  take(QStringLiteral("21-no-models"), {1280, 800});
}

INSTANTIATE_TEST_SUITE_P(Themes, LibraryScreenshots, testing::Values(ThemeChoice::Light, ThemeChoice::Dark),
                         [](const auto& row) { return row.param == ThemeChoice::Dark ? "dark" : "light"; });

}  // namespace
}  // namespace headroom::ui
