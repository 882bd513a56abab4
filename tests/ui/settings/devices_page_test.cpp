#include "ui/settings/devices_page.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

#include "ui/main_window/window_fixture.h"

namespace headroom::ui {
namespace {

class DevicesPageTest : public WindowFixture {
 protected:
  static QStringList texts(const DevicesPage& page) {
    QStringList all;
    for (const QFrame* card : page.findChildren<QFrame*>("deviceCard")) {
      for (const QLabel* label : card->findChildren<QLabel*>()) all << label->text();
    }
    return all;
  }
};

TEST_F(DevicesPageTest, each_device_says_its_memory_its_speed_and_whether_it_was_checked) {
  DeviceInfo passed = presentGpu("RTX 4070", 12 * kGiB), failed = presentGpu("RX 7600", 8 * kGiB);
  passed.proof = Proof::kPassed;
  failed.proof = Proof::kFailed;
  failed.proof_note = "Attend differs by 3 %.";
  m_gpus = {passed, failed};
  makeWindow({});
  const DevicesPage page(*m_controller);
  const QString all = texts(page).join('\n');
  for (const char* part : {"AMD Ryzen 7 7840U", "16.0 GiB of memory", "reads 50 GB/s", "RTX 4070", "12.0 GiB of memory",
                           "reads 400 GB/s", "it computes what the CPU computes", "RX 7600",
                           "failed its check and is used only where you choose it", "Attend differs by 3 %."})
    EXPECT_TRUE(all.contains(part)) << part << " in " << all.toStdString();
}

TEST_F(DevicesPageTest, a_check_is_asked_for_and_the_list_is_built_anew_with_new_readings) {
  DevicesPage page(*m_controller);
  QSignalSpy wanted(&page, &DevicesPage::checkWanted);
  page.findChild<QPushButton*>("checkCards")->click();
  EXPECT_EQ(wanted.count(), 1);
  std::vector<DeviceInfo> devices{hostDevice()};
  devices[0].speed.read_bytes_per_s = 33e9;
  m_controller->calculator().setPresentDevices(devices);
  emit m_controller->watch().freeBytesChanged(devices);
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  EXPECT_TRUE(texts(page).join('\n').contains("reads 33 GB/s"));
}

}  // namespace
}  // namespace headroom::ui
