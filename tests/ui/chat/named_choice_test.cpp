#include "ui/chat/named_choice.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QInputDialog>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>

namespace headroom::ui {
namespace {

class NamedChoiceTest : public testing::Test {
 protected:
  QStringList items() const {
    QStringList all;
    for (int i = 0; i < m_combo->count(); ++i) all << m_combo->itemText(i);
    return all;
  }
  void save(const QString& name) {
    m_choice.findChild<QToolButton*>("saveNamed")->click();
    auto* dialog = m_choice.findChild<QInputDialog*>();
    ASSERT_NE(dialog, nullptr);
    dialog->setTextValue(name);
    dialog->accept();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
  NamedChoice m_choice{{"theCombo", "Preset", "Keep", "Save", "Delete it", "Custom"}, {"A", "B"}, nullptr};
  QComboBox* m_combo = m_choice.findChild<QComboBox*>("theCombo");
};

TEST_F(NamedChoiceTest, the_own_stand_behind_the_built_in_and_what_is_none_of_them_is_named_so) {
  m_choice.show({"Mine"}, 2);
  EXPECT_EQ(items(), (QStringList{"A", "B", "Mine"}));
  EXPECT_EQ(m_combo->currentText(), "Mine");
  EXPECT_FALSE(m_choice.findChild<QToolButton*>("removeNamed")->isHidden());
  m_choice.show({"Mine"}, 0);
  EXPECT_TRUE(m_choice.findChild<QToolButton*>("removeNamed")->isHidden()) << "what is built in stays";
  m_choice.show({"Mine"}, -1);
  EXPECT_EQ(items(), (QStringList{"A", "B", "Mine", "Custom"}));
  EXPECT_EQ(m_combo->currentText(), "Custom");
  EXPECT_TRUE(m_choice.findChild<QToolButton*>("removeNamed")->isHidden());
}

TEST_F(NamedChoiceTest, choosing_saving_and_deleting_are_told) {
  QSignalSpy chosen(&m_choice, &NamedChoice::chosen), saved(&m_choice, &NamedChoice::saved),
      removed(&m_choice, &NamedChoice::removed);
  m_choice.show({"Mine", "Other"}, -1);
  emit m_combo->activated(4);
  EXPECT_EQ(chosen.count(), 0) << "Custom is nothing to choose";
  emit m_combo->activated(3);
  EXPECT_EQ(chosen.last()[0].toInt(), 3);
  for (const char* name : {"", " ", "a", "CUSTOM"}) save(name);
  EXPECT_EQ(saved.count(), 0);
  m_choice.findChild<QToolButton*>("saveNamed")->click();
  auto* dialog = m_choice.findChild<QInputDialog*>();
  const auto* ok = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok);
  dialog->setTextValue("b");
  EXPECT_TRUE(dialog->labelText().contains("built in"));
  EXPECT_FALSE(ok->isEnabled());
  dialog->setTextValue("Mine");
  EXPECT_TRUE(dialog->labelText().contains("replaces yours"));
  EXPECT_TRUE(ok->isEnabled());
  dialog->reject();
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  save("  Mine ");
  EXPECT_EQ(saved.last()[0].toString(), "Mine");
  m_choice.show({"Mine", "Other"}, 3);
  m_choice.findChild<QToolButton*>("removeNamed")->click();
  EXPECT_EQ(removed.last()[0].toInt(), 1);
}

}  // namespace
}  // namespace headroom::ui
