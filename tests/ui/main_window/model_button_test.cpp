#include "ui/main_window/model_button.h"

#include <QAction>
#include <QFileDialog>
#include <QMenu>
#include <QPushButton>

#include "tests/ui/main_window/window_fixture.h"

namespace headroom::ui {
namespace {

class ModelButtonTest : public WindowFixture {
 protected:
  QList<QAction*> entries() {
    auto* menu = find<QMenu>("modelMenu");
    emit menu->aboutToShow();
    return menu->actions();
  }
  QAction* entry(const QString& text) {
    for (QAction* action : entries()) {
      if (action->text() == text) return action;
    }
    ADD_FAILURE() << text.toStdString();
    return nullptr;
  }
};

TEST_F(ModelButtonTest, it_names_the_open_model) {
  auto* button = find<ModelButton>("modelButton");
  EXPECT_TRUE(button->text().startsWith(QStringLiteral("Choose a model")));
  m_models[kSmall].name = "R&D <b>1B</b>";
  dropAndWait(kSmall);
  EXPECT_TRUE(button->text().startsWith(QStringLiteral("R&&D <b>1B</b>"))) << button->text().toStdString();
  m_models[kSmall].name = std::string(300, 'x');
  dropAndWait(kSmall);
  EXPECT_LT(button->sizeHint().width(), 330) << "a long name is cut";
}

TEST_F(ModelButtonTest, a_model_that_was_open_before_is_loaded_with_the_options_it_had) {
  m_starter = QStringLiteral("/models/starter.gguf");
  m_models[m_starter] = m_models[kSmall];
  makeWindow({});
  dropAndWait(kSmall);
  m_controller->calculator().setContext(7000);
  dropAndWait(kLarge);
  entry(QStringLiteral("llama-3.2-1b"))->trigger();
  ASSERT_TRUE(waitFor([&] { return !m_engine.loads.empty(); }));
  EXPECT_EQ(m_engine.loads[0].path, kSmall);
  EXPECT_EQ(m_engine.loads[0].plan->options.n_ctx, 7000U);
  m_engine.sendLoadDone(std::make_shared<const ModelInfo>(m_models[kSmall]));
  EXPECT_TRUE(entry(QStringLiteral("llama-3.2-1b"))->isChecked());
  EXPECT_FALSE(entry(QStringLiteral("llama-3-8b"))->isChecked());
  entry(QStringLiteral("The starter model"))->trigger();
  ASSERT_TRUE(waitFor([&] { return m_engine.loads.size() == 2; }));
  EXPECT_EQ(m_engine.loads[1].path, m_starter);
}

TEST_F(ModelButtonTest, another_file_is_chosen_and_the_open_one_closed_from_its_menu) {
  entry(QStringLiteral("&Open another\u2026"))->trigger();
  auto* dialog = m_window->findChild<QFileDialog*>();
  ASSERT_NE(dialog, nullptr);
  dialog->close();
  EXPECT_FALSE(entry(QStringLiteral("&Close this model"))->isEnabled());
  dropAndWait(kSmall);
  entry(QStringLiteral("&Close this model"))->trigger();
  EXPECT_TRUE(m_controller->path().isEmpty());
}

}  // namespace
}  // namespace headroom::ui
