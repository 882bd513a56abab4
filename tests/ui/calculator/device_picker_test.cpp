#include "ui/calculator/device_picker.h"

#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include "support/model_specs.h"

namespace headroom::ui {
namespace {

DeviceInfo device(const char* id, const char* name, DeviceKind kind) {
  DeviceInfo made = test::gpu_with(8 * kGiB);
  made.id = id;
  made.name = name;
  made.kind = kind;
  return made;
}

class DevicePickerTest : public testing::Test {
 protected:
  void SetUp() override {
    m_picker.setDevices(
        {device("cpu", "Intel(R) Core(TM) i5", DeviceKind::kCpu)},
        {device("RTX 4090", "NVIDIA RTX 4090", DeviceKind::kCuda),
         device("RX 7600", "AMD RX 7600", DeviceKind::kVulkan), device("M2", "Apple M2", DeviceKind::kMetal)});
    m_picker.setCurrentDevice("cpu");
    m_picker.show();
    m_picker.activateWindow();
    m_picker.setFocus();
    ASSERT_TRUE(QTest::qWaitFor([this] { return m_picker.lineEdit()->hasFocus(); }, 60'000));
  }
  void type(const QString& text, bool enters = true) {
    m_picker.lineEdit()->selectAll();
    QTest::keyClicks(m_picker.lineEdit(), text);
    if (enters) QTest::keyClick(m_picker.lineEdit(), Qt::Key_Return);
  }
  DevicePicker m_picker;
  QSignalSpy m_chosen{&m_picker, &DevicePicker::deviceChosen};
};

TEST_F(DevicePickerTest, devices_stand_under_headings_that_cannot_be_chosen) {
  QStringList headings;
  for (int row = 0; row < m_picker.count(); ++row) {
    if (m_picker.itemData(row).toString().isEmpty()) headings.append(m_picker.itemText(row));
  }
  EXPECT_EQ(headings, (QStringList{"In this machine", "Would it fit: NVIDIA", "Would it fit: AMD, Intel and others",
                                   "Would it fit: Apple"}));
  emit m_picker.activated(0);
  EXPECT_EQ(m_chosen.count(), 0);
  EXPECT_EQ(m_picker.currentText(), QString::fromUtf8("Intel Core i5 \u2013 8.00 GiB"));
}

TEST_F(DevicePickerTest, a_device_of_this_machine_tells_its_driver_and_kernels_and_is_told_from_its_namesake) {
  DeviceInfo cuda = device("cuda:0", "RTX 4090", DeviceKind::kCuda),
             vulkan = device("vulkan:0", "RTX 4090", DeviceKind::kVulkan);
  cuda.driver = "CUDA 13.0";
  cuda.kernels = "compute capability 8.9";
  vulkan.driver = "NVIDIA <b>580</b>";
  m_picker.setDevices({cuda, vulkan, device("vulkan:1", "RX 7600", DeviceKind::kVulkan)}, {});
  m_picker.setCurrentDevice("cuda:0");
  EXPECT_EQ(m_picker.currentText(), QString::fromUtf8("RTX 4090 (cuda:0) \u2013 8.00 GiB"));
  EXPECT_EQ(m_picker.toolTip(),
            QString::fromUtf8("RTX 4090 (cuda:0) \u2013 8.00 GiB\nCUDA 13.0\ncompute capability 8.9"));
  m_picker.setCurrentDevice("vulkan:0");
  EXPECT_EQ(m_picker.toolTip(), QString::fromUtf8("RTX 4090 (vulkan:0) \u2013 8.00 GiB\nNVIDIA <b>580</b>"));
  m_picker.setCurrentDevice("vulkan:1");
  EXPECT_EQ(m_picker.toolTip(), QString::fromUtf8("RX 7600 \u2013 8.00 GiB"));
}

TEST_F(DevicePickerTest, a_word_of_a_heading_chooses_the_device_that_has_it) {
  for (const auto& [typed, id] : {std::pair{"nvidia", "RTX 4090"}, {"AMD", "RX 7600"}, {"apple", "M2"}}) {
    m_chosen.clear();
    type(typed);
    ASSERT_EQ(m_chosen.count(), 1) << typed;
    EXPECT_EQ(m_chosen[0][0].toString(), id);
  }
}

TEST_F(DevicePickerTest, what_no_device_is_called_changes_nothing) {
  for (const char* typed : {"voodoo", " "}) {
    type(typed);
    EXPECT_EQ(m_picker.currentText(), QString::fromUtf8("Intel Core i5 \u2013 8.00 GiB")) << typed;
  }
  EXPECT_EQ(m_chosen.count(), 0);
}

TEST_F(DevicePickerTest, a_name_that_is_being_typed_stays_when_a_plan_comes) {
  type("40", false);
  m_picker.setCurrentDevice("cpu");
  EXPECT_EQ(m_picker.lineEdit()->text(), "40");
  QTest::keyClicks(m_picker.lineEdit(), "90");
  QTest::keyClick(m_picker.lineEdit(), Qt::Key_Return);
  ASSERT_EQ(m_chosen.count(), 1);
  m_picker.setCurrentDevice("M2");
  EXPECT_EQ(m_picker.currentText(), QString::fromUtf8("Apple M2 \u2013 8.00 GiB")) << "another device is shown at once";
}

TEST_F(DevicePickerTest, a_half_typed_name_goes_with_the_focus) {
  type("40", false);
  m_picker.completer()->popup()->hide();  // as it does when a click goes elsewhere
  QFocusEvent leaves(QEvent::FocusOut, Qt::TabFocusReason);
  QCoreApplication::sendEvent(&m_picker, &leaves);
  EXPECT_EQ(m_picker.currentText(), QString::fromUtf8("Intel Core i5 \u2013 8.00 GiB"));
  EXPECT_EQ(m_chosen.count(), 0);
}

TEST_F(DevicePickerTest, without_any_device_it_shows_none) {
  m_picker.setDevices({}, {});
  EXPECT_EQ(m_picker.currentIndex(), -1);
  EXPECT_EQ(m_picker.count(), 1) << "the heading alone";
}

}  // namespace
}  // namespace headroom::ui
