#include "ui/calculator/device_list.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QToolButton>

#include "support/model_specs.h"
#include "ui/calculator/device_picker.h"

namespace headroom::ui {
namespace {

DeviceInfo presentGpu(const char* id, Bytes bytes, bool isPresent = true) {
  DeviceInfo device = test::gpu_with(bytes);
  device.id = device.name = id;
  device.is_present = isPresent;
  device.speed.read_bytes_per_s = 400e9;
  return device;
}

class DeviceListTest : public testing::Test {
 protected:
  void SetUp() override {
    DeviceInfo host = test::cpu_with(32 * kGiB);
    host.speed.read_bytes_per_s = 40e9;
    m_calculator.setPresentDevices({host, presentGpu("cuda:0", 8 * kGiB), presentGpu("cuda:1", 6 * kGiB)});
    m_calculator.setModel(std::make_shared<const ModelInfo>(test::make_model(test::kLlama32_1B)));
    m_list.resize(360, 300);
    m_list.show();
    m_list.activateWindow();
    ASSERT_TRUE(QTest::qWaitFor([this] { return m_list.isActiveWindow(); }, 60'000));
  }
  template <class W>
  W* in(const char* row, const char* name) {
    auto* at = m_list.findChild<QWidget*>(QLatin1String(row));
    W* widget = at == nullptr ? nullptr : at->findChild<W*>(QLatin1String(name));
    EXPECT_NE(widget, nullptr) << row << " " << name;
    return widget;
  }
  QStringList names() {
    QStringList names;
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    for (int i = 0; m_list.findChild<QWidget*>(QStringLiteral("device%1").arg(i)) != nullptr; ++i)
      names << in<QComboBox>(qPrintable(QStringLiteral("device%1").arg(i)), "devicePicker")
                   ->currentText()
                   .section(' ', 0, 0);
    return names;
  }
  CalculatorState m_calculator{
      {presentGpu("RTX_3060", 12 * kGiB, false), presentGpu("RTX_4090", 24 * kGiB, false)},
      {Message::plain("CUDA: there is no driver"), Message::plain("Vulkan: an old card lacks much & more")}};
  Theme m_theme{ThemeChoice::Light};
  DeviceList m_list{m_theme, m_calculator};
};

TEST_F(DeviceListTest, a_row_for_each_gpu_and_the_host_last) {
  EXPECT_EQ(names(), (QStringList{"cuda:0", "cuda:1"}));
  EXPECT_EQ(in<QLabel>("hostRow", "deviceLabel")->text(), "Host");
  EXPECT_GT(m_list.findChild<QWidget*>("hostRow")->y(), m_list.findChild<QWidget*>("device1")->y());
}

TEST_F(DeviceListTest, the_keyboard_moves_a_device_up_and_stays_with_it) {
  auto* up = in<QToolButton>("device1", "moveDeviceUp");
  EXPECT_FALSE(in<QToolButton>("device0", "moveDeviceUp")->isVisible());
  up->setFocus();
  QTest::keyClick(up, Qt::Key_Space);
  EXPECT_EQ(names(), (QStringList{"cuda:1", "cuda:0"}));
  EXPECT_TRUE(m_list.findChild<QWidget*>("device0")->isAncestorOf(QApplication::focusWidget()));
}

TEST_F(DeviceListTest, the_mouse_takes_a_device_out_and_the_menu_brings_it_back) {
  QTest::mouseClick(in<QToolButton>("device0", "removeDevice"), Qt::LeftButton);
  EXPECT_EQ(names(), QStringList{"cuda:1"});
  QMenu* menu = in<QToolButton>("hostRow", "addDevice")->menu();
  emit menu->aboutToShow();
  ASSERT_FALSE(menu->actions().isEmpty());
  EXPECT_TRUE(menu->actions().first()->text().startsWith("cuda:0")) << "of this machine first";
  menu->actions().first()->trigger();
  EXPECT_EQ(names(), (QStringList{"cuda:1", "cuda:0"}));
  EXPECT_TRUE(m_list.findChild<QWidget*>("device1")->isAncestorOf(QApplication::focusWidget()));
}

TEST_F(DeviceListTest, the_menu_says_how_fast_each_device_would_be) {
  QMenu* menu = in<QToolButton>("hostRow", "addDevice")->menu();
  emit menu->aboutToShow();
  const auto text = [&] {
    for (const QAction* action : menu->findChildren<QAction*>()) {
      if (action->data().toString() == "RTX_4090") return action->text();
    }
    return QString();
  };
  EXPECT_TRUE(text().startsWith("RTX_4090"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return text().contains("tokens/s"); }, 60'000)) << text().toStdString();
  EXPECT_EQ(text().count('\t'), 1);
}

TEST_F(DeviceListTest, without_a_gpu_there_is_one_row_that_offers_all) {
  m_calculator.removeDevice(1);
  m_calculator.removeDevice(0);
  EXPECT_EQ(names(), QStringList());
  EXPECT_FALSE(in<QToolButton>("hostRow", "addDevice")->isVisible());
  EXPECT_EQ(in<QLabel>("hostRow", "deviceLabel")->text(), "&Device");
  auto* picker = in<DevicePicker>("hostRow", "devicePicker");
  ASSERT_GE(picker->findData("RTX_4090"), 0);
  picker->setFocus();
  emit picker->activated(picker->findData("RTX_4090"));
  EXPECT_EQ(names(), QStringList{"RTX_4090"});
  EXPECT_TRUE(m_list.findChild<QWidget*>("device0")->isAncestorOf(QApplication::focusWidget()));
  EXPECT_EQ(picker->findData("RTX_4090"), -1) << "beside a GPU the host is a host";
}

TEST_F(DeviceListTest, why_there_is_no_gpu_stands_below_the_host_until_there_is_one) {
  auto* refused = m_list.findChild<QLabel*>("refusedDevices");
  ASSERT_NE(refused, nullptr);
  EXPECT_FALSE(refused->isVisible());
  const QString sentences = "CUDA: there is no driver.\nVulkan: an old card lacks much & more.";
  EXPECT_TRUE(in<QToolButton>("hostRow", "addDevice")->toolTip().endsWith(sentences)) << "for who looks for more";
  m_calculator.setPresentDevices({test::cpu_with(32 * kGiB)});
  EXPECT_TRUE(refused->isVisible());
  EXPECT_EQ(refused->text(), sentences);
  EXPECT_EQ(refused->accessibleName(), "Not used in this machine: " + sentences);
  QCoreApplication::processEvents();
  EXPECT_GE(refused->y(), m_list.findChild<QWidget*>("hostRow")->geometry().bottom());
  EXPECT_GE(refused->height(), refused->heightForWidth(refused->width())) << "nothing is cut off";
  m_calculator.useDevice(0, "RTX_4090");
  EXPECT_TRUE(refused->isVisible()) << "a card that one thinks of is not in this machine";
  m_calculator.setPresentDevices({test::cpu_with(32 * kGiB), presentGpu("cuda:0", 8 * kGiB)});
  EXPECT_FALSE(refused->isVisible());
}

TEST_F(DeviceListTest, a_card_that_failed_its_check_is_named_until_it_is_chosen_or_passes) {
  auto* failed = m_list.findChild<QLabel*>("failedCards");
  EXPECT_FALSE(failed->isVisible());
  DeviceInfo card = presentGpu("cuda:0", 8 * kGiB);
  card.name = "RTX 4070";
  card.proof = Proof::kFailed;
  m_calculator.setPresentDevices({test::cpu_with(32 * kGiB), card});
  while (m_calculator.devices().gpuCount() > 0) m_calculator.removeDevice(0);
  EXPECT_TRUE(failed->isVisible());
  EXPECT_EQ(failed->text(), "RTX 4070 (CUDA) failed its check and is used only where you choose it.");
  m_calculator.useDevice(0, "cuda:0");
  EXPECT_FALSE(failed->isVisible());
  m_calculator.removeDevice(0);
  card.proof = Proof::kPassed;
  m_calculator.setPresentDevices({test::cpu_with(32 * kGiB), card});
  EXPECT_FALSE(failed->isVisible());
}

TEST_F(DeviceListTest, where_nothing_was_refused_nothing_is_said) {
  CalculatorState calculator{{}};
  calculator.setPresentDevices({test::cpu_with(32 * kGiB)});
  DeviceList list(m_theme, calculator);
  list.show();
  EXPECT_FALSE(list.findChild<QLabel*>("refusedDevices")->isVisible());
  EXPECT_FALSE(list.findChild<QToolButton*>("addDevice")->toolTip().contains('\n'));
}

TEST_F(DeviceListTest, each_row_has_its_own_headroom) {
  auto* edit = in<QLineEdit>("device1", "headroomEdit");
  edit->setFocus();
  edit->selectAll();
  QTest::keyClicks(edit, "2 GiB");
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_EQ(m_calculator.devices().rows()[1].headroom, HeadroomRule(KeepFree{2 * kGiB}));
  EXPECT_EQ(m_calculator.devices().rows()[0].headroom, HeadroomRule(KeepFree{kGiB}));
  m_calculator.moveDeviceUp(1);
  EXPECT_EQ(in<QLineEdit>("device0", "headroomEdit")->text(), "2.00 GiB") << "it goes along";
}

TEST_F(DeviceListTest, tab_goes_from_the_first_device_to_the_host) {
  QCoreApplication::processEvents();
  in<QComboBox>("device0", "devicePicker")->setFocus();
  QStringList rows;
  for (int i = 0; i < 40; ++i) {
    for (const QObject* at = QApplication::focusWidget(); at != nullptr; at = at->parent()) {
      const QString name = at->objectName();
      const bool isRow = name == "hostRow" || name == "device0" || name == "device1";
      if (isRow && (rows.isEmpty() || rows.last() != name)) rows << name;
    }
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
  }
  EXPECT_EQ(rows.mid(0, 3), (QStringList{"device0", "device1", "hostRow"}));
}

}  // namespace
}  // namespace headroom::ui
