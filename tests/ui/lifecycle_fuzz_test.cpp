// Random sequences of what users do and of what engine and store answer, against the real controllers: nothing crashes,
// nothing is lost, and there is always a way on.
#include <gtest/gtest.h>

#include <QHash>
#include <QSet>
#include <algorithm>
#include <array>
#include <random>
#include <set>

#include "support/async_conversation_port.h"
#include "support/async_engine_port.h"
#include "support/model_specs.h"
#include "ui/calculator/load_state.h"
#include "ui/chat/chat_controller.h"

namespace headroom::ui {
namespace {

constexpr unsigned kSequences = 10'000;  // of each kind
constexpr int kSteps = 200;

std::shared_ptr<const MemoryPlan> planWith(std::uint32_t nCtx) {
  static const ModelInfo kModel = test::make_model(test::kTinyLlama);
  PlanOptions options;
  options.n_ctx = nCtx;
  return std::make_shared<const MemoryPlan>(plan_memory(kModel, {{test::cpu_with(16 * kGiB)}}, options).value());
}

class Player {
 public:
  Player(unsigned seed, test::AsyncEnginePort::Faults faults) : m_random(seed) {
    m_engine.faults = faults;
    if (seed % 2 == 0) {  // most users have a model by the time they chat
      m_load.load("/models/first.gguf", m_plans[0]);
      settle();
    }
    QObject::connect(&m_chat, &ChatController::textAppended, &m_chat,
                     [this](const QString& id, const QString& text) { m_written[id] += text; });
    QObject::connect(&m_chat, &ChatController::thinkingAppended, &m_chat,
                     [this](const QString& id, const QString& text) { m_thought[id] += text; });
  }

  void play() {
    for (int i = 0; i < kSteps && !testing::Test::HasFailure(); ++i) {
      switch (m_random() % 4) {
        case 0: act(); break;
        case 1: m_store.deliver(); break;
        case 2: m_engine.work(); break;
        default: m_engine.deliver();
      }
      checkAlways();
      m_drafts[draftKey()] = m_chat.draft().draft();
      reached.insert(m_chat.activity());
      const auto& turns = m_chat.tree().turns();
      nCuts += std::any_of(turns.begin(), turns.end(), [](const Turn& t) { return !t.summary.isEmpty(); });
    }
  }
  inline static std::set<Activity> reached;  // by all sequences so far
  inline static int nCuts = 0;               // steps in a conversation with a summary

  // With an engine that answered everything: both sides agree.
  void checkSettled() {
    settle();
    const auto& truth = m_engine.loadedPath();
    ASSERT_EQ(m_load.loaded() != nullptr, truth.has_value());
    if (truth) {
      ASSERT_EQ(m_load.loaded()->path, *truth);
    }
    ASSERT_TRUE(m_load.isSettled());
    ASSERT_EQ(m_chat.activity(), truth ? Activity::Idle : Activity::NoModel);
  }

  // From wherever it is, a user who goes elsewhere and loads a model gets an answer.
  void checkThereIsAWayOn() {
    m_engine.faults = {};
    m_engine.isReliable = m_store.isReliable = true;
    m_chat.newConversation();
    m_load.load("/models/last.gguf", m_plans[0]);
    settle();
    ASSERT_EQ(m_load.phase(), LoadPhase::Loaded);
    ASSERT_TRUE(m_load.isSettled());
    ASSERT_TRUE(m_chat.canStart());
    m_chat.draft().handleEvent(draft_event::Typed{newText()});
    ASSERT_TRUE(sendDraft());
    settle();
    const QStringList path = m_chat.tree().path();
    ASSERT_EQ(path.size(), 2);
    ASSERT_EQ(m_chat.tree().find(path[1])->state, TurnState::Done);
    ASSERT_FALSE(m_chat.tree().find(path[1])->text.isEmpty());
    checkAlways();
  }

  // Every message that was taken and every word that was shown is kept, once, in its conversation.
  void checkNothingIsLost() {
    QHash<QString, const Turn*> kept;
    for (const Conversation& conversation : m_store.conversations) {
      for (const Turn& turn : conversation.turns) {
        ASSERT_FALSE(kept.contains(turn.id));
        ASSERT_NE(turn.state, TurnState::Writing);
        kept.insert(turn.id, &turn);
      }
    }
    for (auto written = m_written.cbegin(); written != m_written.cend(); ++written) {
      ASSERT_TRUE(kept.contains(written.key()));
      ASSERT_EQ(kept[written.key()]->text, written.value());
    }
    for (auto thought = m_thought.cbegin(); thought != m_thought.cend(); ++thought) {
      ASSERT_TRUE(kept.contains(thought.key()));
      ASSERT_EQ(kept[thought.key()]->thinking, thought.value());
    }
    for (auto draft = m_drafts.cbegin(); draft != m_drafts.cend(); ++draft) {
      const QString& id = draft.key();
      ASSERT_EQ(id.isEmpty() ? m_store.newDraft : m_store.conversations.value(id).draft, draft.value());
    }
    for (const auto& [conversationId, text] : m_sent) {  // an edit that changed nothing is another version too
      const auto& turns = m_store.conversations.value(conversationId).turns;
      ASSERT_EQ(std::count_if(turns.begin(), turns.end(), [&text = text](const Turn& t) { return t.text == text; }),
                std::count(m_sent.begin(), m_sent.end(), std::pair(conversationId, text)));
    }
  }

 private:
  void settle() {
    while (m_engine.work() || m_engine.deliver() || m_store.deliver()) {
    }
  }

  void checkAlways() {
    const Activity activity = m_chat.activity();
    const auto& turns = m_chat.tree().turns();
    const auto nWriting =
        std::count_if(turns.begin(), turns.end(), [](const Turn& t) { return t.state == TurnState::Writing; });
    const bool answers = activity == Activity::Reading || activity == Activity::Writing;
    ASSERT_LE(nWriting, answers || activity == Activity::Stopping ? 1 : 0);
    ASSERT_GE(nWriting, answers ? 1 : 0);
    ASSERT_EQ(m_chat.canStart(), activity == Activity::Idle);
    const QString resume = m_chat.trouble().resumeId;
    ASSERT_TRUE(resume.isEmpty() || m_chat.tree().find(resume) != nullptr);
    ASSERT_EQ(m_load.phase() == LoadPhase::Loaded, !isLoading() && m_load.loaded() != nullptr);
  }
  bool isLoading() const { return m_load.phase() == LoadPhase::Loading; }

  QString newText() { return QStringLiteral("message %1").arg(++m_nTexts); }
  bool send() {
    const QString text = newText();
    if (!m_chat.send(text, {})) return false;
    sent(text);
    return true;
  }
  void edit() {
    const QString text = newText();
    if (m_chat.edit(anyTurn(), text, {})) sent(text);
  }
  bool sendDraft() {
    const QString text = m_chat.draft().message().text;
    if (!m_chat.sendDraft()) return false;
    sent(text);
    return true;
  }
  // Wherever it was written for, it is seen and the model reads it.
  void sent(const QString& text) {
    m_sent.emplace_back(m_chat.head().id, text);
    if (m_chat.tree().turns().size() == 2) m_drafts[QString()] = {};  // it went with the first message
    const QStringList path = m_chat.tree().path();
    ASSERT_GE(path.size(), 2);
    ASSERT_EQ(m_chat.tree().find(path[path.size() - 2])->text, text);
    ASSERT_EQ(m_engine.lastMessages.back().content, text.toStdString());
  }
  QString draftKey() const { return m_chat.tree().isEmpty() ? QString() : m_chat.head().id; }
  QString anyTurn() {
    const auto& turns = m_chat.tree().turns();
    return turns.empty() ? QString() : turns[m_random() % turns.size()].id;
  }
  QString anyConversation() {
    const QStringList ids = m_store.conversations.keys();
    return ids.isEmpty() ? QStringLiteral("none") : ids[static_cast<qsizetype>(m_random() % ids.size())];
  }
  const std::shared_ptr<const MemoryPlan>& anyPlan() { return m_plans[m_random() % 2]; }

  // What is done often in a chat is done often here: rare acts in between meet something that runs.
  void act() {
    static constexpr std::array<unsigned, 22> kWeights{12, 3, 3, 4, 2, 4, 1, 3, 2, 2, 6,
                                                       2,  1, 1, 2, 1, 1, 1, 3, 2, 2, 2};
    std::discrete_distribution<int> which(kWeights.begin(), kWeights.end());
    switch (which(m_random)) {
      case 0: send(); break;
      case 1: edit(); break;
      case 2: m_chat.regenerate(anyTurn()); break;
      case 3: m_chat.continueAnswer(m_chat.tree().lastId()); break;
      case 4: m_chat.answer(m_chat.tree().lastId()); break;
      case 5: m_chat.stop(); break;
      case 6: m_chat.newConversation(); break;
      case 7: m_chat.openConversation(anyConversation()); break;
      case 8: m_chat.chooseVersion(anyTurn()); break;
      case 9: m_chat.dropOldest(); break;
      case 10: m_chat.summarise(); break;
      case 11: m_chat.agreeToPlainTemplate(); break;
      case 12: m_chat.setSystemPrompt(newText()); break;
      case 13: remove(anyConversation()); break;
      case 14: m_load.load(m_random() % 2 == 0 ? "/models/a.gguf" : "/models/b.gguf", anyPlan()); break;
      case 15: m_load.load(m_load.loaded() ? m_load.loaded()->path : "/models/a.gguf", anyPlan()); break;
      case 16: m_load.cancel(); break;
      case 18: m_chat.draft().handleEvent(draft_event::Typed{newText()}); break;
      case 19: m_chat.editTurn(anyTurn()); break;
      case 20: sendDraft(); break;
      case 21: leaveEdit(); break;
      default: m_random() % 2 == 0 ? m_load.unload() : m_chat.renameConversation(newText());
    }
  }
  void leaveEdit() {
    m_chat.draft().handleEvent(draft_event::EscapePressed{});
    if (m_random() % 2 == 0) m_chat.draft().handleEvent(draft_event::DiscardAgreed{});
  }
  void remove(const QString& id) {
    m_store.remove(id);
    m_chat.forgetConversation(id);
  }

  inline static const std::array<std::shared_ptr<const MemoryPlan>, 2> m_plans{planWith(512), planWith(1024)};
  std::mt19937 m_random;
  test::AsyncEnginePort m_engine{m_random};
  test::AsyncConversationPort m_store{m_random};
  LoadState m_load{m_engine};
  ChatController m_chat{m_engine, m_store};
  unsigned m_nTexts = 0;
  std::vector<std::pair<QString, QString>> m_sent;  // conversation, text
  QHash<QString, Draft> m_drafts;                   // conversation (empty: the new one), what is being written in it
  QHash<QString, QString> m_written, m_thought;     // turn, all that was shown of it
};

// A fuzzer that never gets anywhere finds nothing.
void expectEverythingWasReached() {
  EXPECT_EQ(Player::reached.size(), 7U);
  EXPECT_GT(Player::nCuts, 1'000);
}

TEST(LifecycleFuzz, with_late_answers_both_sides_agree_in_the_end_and_nothing_is_lost) {
  for (unsigned seed = 0; seed < kSequences && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Player player(seed, {});
    player.play();
    player.checkSettled();
    player.checkThereIsAWayOn();
    player.checkNothingIsLost();
  }
  expectEverythingWasReached();
}

TEST(LifecycleFuzz, with_lost_and_repeated_events_nothing_crashes_and_there_is_a_way_on) {
  for (unsigned seed = 0; seed < kSequences && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Player player(seed, {.lost = 10, .repeated = 10});
    player.play();
    player.checkThereIsAWayOn();
    player.checkNothingIsLost();
  }
  expectEverythingWasReached();
}

}  // namespace
}  // namespace headroom::ui
