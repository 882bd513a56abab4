// One way to write numbers on one screen, whatever the user's locale; and fields that read the user's own.
#include <QAbstractButton>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>

#include "tests/ui/main_window/window_fixture.h"
#include "ui/calculator/bytes_edit.h"

namespace headroom::ui {
namespace {

class WindowInLocale : public WindowFixture, public testing::WithParamInterface<QLocale> {
 protected:
  void TearDown() override {
    WindowFixture::TearDown();
    QLocale::setDefault(m_before);
  }

  // All that is written in a window with a plan, a loaded model and readings.
  QStringList textsIn(const QLocale& locale) {
    QLocale::setDefault(locale);
    makeWindow({});
    const std::size_t nLoads = m_engine.loads.size();
    dropAndWait(kLarge);
    EXPECT_TRUE(waitFor([&] { return find<QPushButton>("loadButton")->isEnabled(); }));
    find<QPushButton>("loadButton")->click();
    EXPECT_EQ(m_engine.loads.size(), nLoads + 1);
    m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kLarge]), 12'345'678);
    MemoryReading reading = readingWith(*m_engine.loads.back().plan, 2048, 1'700'000'000'000);
    reading.grown = {.n_arenas = 1, .driver = 12'345, .heap = 12'345'678};
    emit m_engine.memoryRead(reading);
    QStringList texts;
    for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
      texts << widget->accessibleName() << widget->accessibleDescription() << widget->toolTip();
      if (const auto* label = qobject_cast<const QLabel*>(widget)) texts << label->text();
      if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) texts << button->text();
      if (const auto* edit = qobject_cast<const QLineEdit*>(widget)) texts << edit->text();
      if (const auto* table = qobject_cast<const QTableView*>(widget)) texts << cellsOf(*table->model());
    }
    return texts;
  }

  void type(QLineEdit* edit, const QString& text) {
    edit->setFocus();
    edit->selectAll();
    edit->insert(text);  // QTest has no keys for spaces of other scripts
    QTest::keyClick(edit, Qt::Key_Return);
  }

 private:
  static QStringList cellsOf(const QAbstractItemModel& model) {
    QStringList cells;
    for (int row = 0; row < model.rowCount(); ++row) {
      for (int column = 0; column < model.columnCount(); ++column) {
        for (const int role : {Qt::DisplayRole, Qt::ToolTipRole, Qt::AccessibleTextRole})
          cells << model.index(row, column).data(role).toString();
      }
    }
    return cells;
  }
  const QLocale m_before;
};

TEST_P(WindowInLocale, every_number_is_written_as_the_texts_are) {
  const QStringList english = textsIn(QLocale(QLocale::English, QLocale::UnitedStates)), here = textsIn(GetParam());
  ASSERT_EQ(here.size(), english.size());
  for (qsizetype i = 0; i < here.size(); ++i) EXPECT_EQ(here[i].toStdString(), english[i].toStdString());
  EXPECT_GE(find<QSpinBox>("contextSpin")->value(), 4096);
  EXPECT_TRUE(find<QSpinBox>("contextSpin")->text().contains(QLatin1Char(',')));
  EXPECT_TRUE(here.contains(QStringLiteral("Taken since load: drivers 12.1 KiB, program 11.8 MiB, arenas 1")))
      << here.filter("since load").join(u'\n').toStdString();
}

TEST_P(WindowInLocale, fields_read_the_users_own_form_and_that_of_the_screen) {
  QLocale::setDefault(GetParam());
  makeWindow({});
  dropAndWait(kSmall);
  m_window->activateWindow();
  auto* headroom = inRow<BytesEdit>("hostRow", "headroomEdit");
  for (const char* text : {"1,5 GiB", "1.5 GiB", "1536 MiB"}) {
    type(headroom, QStringLiteral("512 MiB"));
    EXPECT_EQ(headroom->bytes(), 512 * kMiB);
    type(headroom, QLatin1String(text));
    EXPECT_EQ(headroom->bytes(), 3 * kGiB / 2) << text;
  }
  auto* context = find<QSpinBox>("contextSpin");
  for (const QString& text : {GetParam().toString(4096), QStringLiteral("4,096"), QStringLiteral("4.096")}) {
    type(context->findChild<QLineEdit*>(), QStringLiteral("512"));
    type(context->findChild<QLineEdit*>(), text);
    EXPECT_EQ(context->value(), 4096) << text.toStdString();
    EXPECT_EQ(context->text(), QStringLiteral("4,096"));
  }
}

INSTANTIATE_TEST_SUITE_P(Locales, WindowInLocale,
                         testing::Values(QLocale(QLocale::English, QLocale::UnitedStates),
                                         QLocale(QLocale::German, QLocale::Germany),
                                         QLocale(QLocale::French, QLocale::France)),
                         [](const auto& tested) {
                           return QLocale::languageToString(tested.param.language()).toStdString();
                         });

}  // namespace
}  // namespace headroom::ui
