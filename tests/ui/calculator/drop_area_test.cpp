#include "ui/calculator/drop_area.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QLabel>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "ui/model/model_opener.h"

namespace headroom::ui {
namespace {

class DropAreaTest : public testing::Test {
 protected:
  QString words() const {
    QString all = m_area.accessibleName() + QLatin1Char(' ') + m_area.accessibleDescription();
    for (const QLabel* label : m_area.findChildren<QLabel*>()) all += QLatin1Char(' ') + label->text();
    return all;
  }
  Theme m_theme{ThemeChoice::Light};
  DropArea m_area{m_theme};
};

TEST_F(DropAreaTest, what_it_promises_the_opener_takes) {
  QTemporaryDir folder;
  QFile weights(folder.filePath("model.safetensors"));
  ASSERT_TRUE(weights.open(QIODevice::WriteOnly));
  int nPromised = 0;
  for (auto match = QRegularExpression("(?<!\\w)\\.[a-z]\\w+").globalMatch(words()); match.hasNext(); ++nPromised) {
    const QString ending = match.next().captured();
    EXPECT_EQ(whyNotOpenable("/models/model" + ending), "") << ending.toStdString();
  }
  EXPECT_GT(nPromised, 0);
  if (words().contains("folder")) {
    EXPECT_EQ(whyNotOpenable(folder.path()), "") << words().toStdString();
  }
  if (words().contains("safetensors")) {
    EXPECT_EQ(whyNotOpenable(weights.fileName()), "") << words().toStdString();
  }
}

TEST_F(DropAreaTest, is_a_button_for_mouse_and_keyboard) {
  QSignalSpy clicked(&m_area, &DropArea::clicked);
  m_area.show();
  QTest::mouseClick(&m_area, Qt::LeftButton);
  for (const Qt::Key key : {Qt::Key_Space, Qt::Key_Return, Qt::Key_Enter}) QTest::keyClick(&m_area, key);
  EXPECT_EQ(clicked.count(), 4);
  QTest::mouseClick(&m_area, Qt::RightButton);
  QTest::keyClick(&m_area, Qt::Key_A);
  QTest::mousePress(&m_area, Qt::LeftButton);
  QTest::mouseRelease(&m_area, Qt::LeftButton, {}, QPoint(-50, -50));
  EXPECT_EQ(clicked.count(), 4) << "another button, another key, and a press that was taken back";
  EXPECT_EQ(m_area.focusPolicy(), Qt::StrongFocus);
}

TEST_F(DropAreaTest, with_a_model_open_it_is_one_low_line) {
  m_area.show();
  const int large = m_area.sizeHint().height();
  m_area.setProminent(false);
  EXPECT_LT(m_area.sizeHint().height(), large / 2);
  m_area.setProminent(true);
  EXPECT_EQ(m_area.sizeHint().height(), large) << "and large again when it is closed";
}

TEST_F(DropAreaTest, its_icon_follows_the_theme) {
  const auto icon = [this] { return m_area.findChildren<QLabel*>().first()->pixmap().toImage(); };
  const QImage light = icon();
  ASSERT_FALSE(light.isNull());
  m_theme.setChoice(ThemeChoice::Dark);
  EXPECT_NE(icon(), light);
}

}  // namespace
}  // namespace headroom::ui
