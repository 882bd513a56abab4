// Several conversations at once, through the real window and the real engine.
#include <QHash>
#include <QSet>
#include <algorithm>

#include "app/native_path.h"
#include "support/random_model.h"
#include "tests/app/app_gpu_fixture.h"
#include "ui/chat/chat_sessions.h"

namespace headroom::app {
namespace {

const QStringList kQuestions{QStringLiteral("What is the KV cache?"), QStringLiteral("hello"),
                             QStringLiteral("Which of these is the longest question of all?"), QStringLiteral("1 2 3")};

// With a made model, whose answers are told apart by every byte of the question.
class AppSessionsTest : public AppGpuWindow {
 protected:
  QString gpu() const override { return {}; }
  QString starter() const override { return m_folder.filePath(QStringLiteral("model.gguf")); }

  void SetUp() override {
    test::RandomModelSpec spec;
    spec.has_end = false;  // long answers: the last one begins before the first has ended, however busy the machine
    spec.chat_template = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>";
    test::make_random_model(spec, toNativePath(m_folder.path()));
    AppWindowTest::SetUp();
    ui::ChatSettings settings = m_app->settings().chat();
    settings.answers.sampler.temperature = 0;
    settings.answers.maxTokens = 400;
    m_app->settings().setChat(settings);
  }
  ui::ChatSessions& sessions() { return m_app->sessions(); }
  // Plans so many answers at once and loads that; the questions are asked while it is being loaded, so that the engine
  // finds all of them when it is done.
  QStringList askAllWith(int nSlots) {
    QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
    startLoadWith(nSlots);
    const QStringList ids = askAll();
    EXPECT_TRUE(waitFor([&] { return loaded.count() == 1; }));
    const auto plan = loaded[0][1].value<ui::LoadedModel>().plan;
    EXPECT_EQ(plan->options.n_slots, static_cast<std::uint32_t>(nSlots));
    return ids;
  }
  QStringList askAll() {
    QStringList ids;
    for (const QString& question : kQuestions) {
      sessions().newConversation();
      EXPECT_TRUE(sessions().current().send(question, {}));
      ids.append(sessions().current().head().id);
    }
    return ids;
  }
  void startLoadWith(int nSlots) {
    find<QSpinBox>("slotsSpin")->setValue(nSlots);
    auto* load = find<QPushButton>("loadButton");
    EXPECT_TRUE(waitFor([&] { return load->isEnabled() && load->isVisible(); }));
    load->click();
  }
  QTemporaryDir m_folder;

  bool allAnswered() {
    return waitFor([&] {
      return std::none_of(sessions().sessions().begin(), sessions().sessions().end(),
                          [](const ui::ChatSession* session) { return session->isBusy(); });
    });
  }
  QString answerIn(const QString& id) {
    sessions().openConversation(id);
    EXPECT_TRUE(waitFor([&] { return sessions().current().head().id == id; }));
    EXPECT_EQ(tree().path().size(), 2) << sessions().current().trouble().sentence.text().toStdString();
    return tree().find(tree().lastId())->text;
  }
};

// Where the model is: on the CPU (an empty id), or all of its layers on the GPU that every machine has.
class AppSessionsOn : public AppSessionsTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (!gpu().isEmpty()) qputenv("HEADROOM_VULKAN_SOFTWARE", "1");
    AppSessionsTest::SetUp();
    if (HasFatalFailure() || gpu().isEmpty()) return;
    ASSERT_TRUE(waitFor([&] { return isMeasured(); }));
    if (!isChosen()) addGpu(gpu());
    ASSERT_TRUE(isChosen());
    auto* layers = find<QSlider>("layersSlider");
    ASSERT_TRUE(waitFor([&] { return layers->maximum() >= 2; }));
    layers->setValue(layers->maximum());
    QSignalSpy loaded(&m_app->engine(), &ui::EnginePort::modelLoaded);
    startLoadWith(1);
    ASSERT_TRUE(waitFor([&] { return loaded.count() == 1; }));
    expectAllOnGpu();
  }
  void TearDown() override {
    m_app.reset();
    qunsetenv("HEADROOM_VULKAN_SOFTWARE");
  }
  QString gpu() const override { return QLatin1StringView(GetParam()); }
  void expectAllOnGpu() {
    const MemoryPlan& plan = *m_app->models().load().loaded()->plan;
    if (gpu().isEmpty()) return;
    EXPECT_EQ(plan.options.n_gpu_layers, find<QSlider>("layersSlider")->maximum());
    EXPECT_EQ(std::ranges::count(plan.devices, gpu().toStdString(), &DeviceInfo::id), 1);
  }
};

#if HEADROOM_HAS_VULKAN
INSTANTIATE_TEST_SUITE_P(Devices, AppSessionsOn, testing::Values("", "vulkan:0"),
                         [](const auto& each) { return std::string(*each.param == 0 ? "cpu" : "vulkan"); });
#else
INSTANTIATE_TEST_SUITE_P(Devices, AppSessionsOn, testing::Values(""), [](const auto&) { return std::string("cpu"); });
#endif

TEST_P(AppSessionsOn, two_and_four_answers_at_once_say_what_they_say_one_after_the_other) {
  QStringList alone;
  for (const QString& question : kQuestions) {
    find<QPushButton>("newConversation")->click();
    type(question);
    ASSERT_TRUE(answered());
    alone.append(tree().find(tree().lastId())->text);
    EXPECT_FALSE(alone.last().isEmpty());
  }
  EXPECT_NE(alone[0], alone[1]);
  for (const int nSlots : {2, 4}) {
    qsizetype mostAtOnce = 0;
    QSet<ui::ConversationMark::Kind> marked;
    QObject counter;
    QObject::connect(&m_app->engine(), &ui::EnginePort::textArrived, &counter, [&] {
      const auto& all = sessions().sessions();
      mostAtOnce = std::max<qsizetype>(
          mostAtOnce,
          std::count_if(all.begin(), all.end(), [](const ui::ChatSession* session) { return session->hasStarted(); }));
      for (const ui::ConversationMark& mark : sessions().marks()) marked.insert(mark.kind);
    });
    // On a busy machine the first answer may end before the last prompt has been read.
    for (int attempt = 0; attempt < 10 && mostAtOnce < nSlots; ++attempt) {
      const QStringList ids = attempt == 0 ? askAllWith(nSlots) : askAll();
      ASSERT_TRUE(allAnswered());
      expectAllOnGpu();
      for (qsizetype i = 0; i < ids.size(); ++i) EXPECT_EQ(answerIn(ids[i]), alone[i]) << nSlots << " at once";
    }
    EXPECT_EQ(mostAtOnce, nSlots);
    EXPECT_EQ(marked.contains(ui::ConversationMark::Kind::Waiting), nSlots < kQuestions.size());
  }
}

TEST_F(AppSessionsTest, the_context_of_a_conversation_is_that_of_its_own_answer) {
  QHash<quint64, quint32> told;  // by request
  QObject ear;
  QObject::connect(&m_app->engine(), &ui::EnginePort::textArrived, &ear,
                   [&](quint64 request, const QString&, quint32 contextUsed) {
                     told[request] = contextUsed;
                     for (const ui::ChatSession* session : sessions().sessions()) {
                       if (session->request() != request) continue;
                       EXPECT_EQ(session->context().used, contextUsed);
                       EXPECT_FALSE(session->context().isEstimate);
                     }
                   });
  int nEnded = 0;
  QObject::connect(&m_app->engine(), &ui::EnginePort::generationFinished, &ear,
                   [&](quint64 request, ui::ChatEnd, const ui::ChatFigures& figures) {
                     ++nEnded;
                     EXPECT_EQ(figures.contextUsed, figures.promptTokens + figures.generatedTokens);
                     EXPECT_LE(told[request], figures.contextUsed);
                     EXPECT_GE(told[request] + 4, figures.contextUsed) << "but for a letter that broke off";
                   });
  askAllWith(4);
  ASSERT_TRUE(allAnswered());
  EXPECT_EQ(nEnded, 4);
}

}  // namespace
}  // namespace headroom::app
