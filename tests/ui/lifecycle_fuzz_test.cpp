// Random sequences of what users do and of what engine and store answer, against the real sessions: nothing crashes,
// nothing is lost, and there is always a way on.
#include <gtest/gtest.h>

#include <QHash>
#include <QSet>
#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <set>

#include "support/async_conversation_port.h"
#include "support/async_engine_port.h"
#include "support/model_specs.h"
#include "ui/calculator/load_state.h"
#include "ui/chat/chat_sessions.h"

namespace headroom::ui {
namespace {

constexpr unsigned kSequences = 10'000;  // of each kind
constexpr int kSteps = 200;

std::shared_ptr<const MemoryPlan> planWith(std::uint32_t nCtx, std::uint32_t nSlots) {
  static const ModelInfo kModel = test::make_model(test::kTinyLlama);
  PlanOptions options;
  options.n_ctx = nCtx;
  options.n_slots = nSlots;
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
    hear();
    QObject::connect(&*m_sessions, &ChatSessions::currentChanged, &*m_sessions, [this] { hear(); });
  }

  void play(int nSteps = kSteps) {
    for (int i = 0; i < nSteps && !testing::Test::HasFailure(); ++i) {
      switch (m_random() % 4) {
        case 0: act(); break;
        case 1: m_store.deliver(); break;
        case 2: m_engine.work(); break;
        default: m_engine.deliver();
      }
      checkAlways();
      int nWriting = 0;
      for (const ChatSession* session : m_sessions->sessions()) {
        m_drafts[draftKey(*session)] = session->draft().draft();
        reached.insert(session->activity());
        nWriting += session->activity() == Activity::Writing;
        const auto& turns = session->tree().turns();
        nCuts += std::any_of(turns.begin(), turns.end(), [](const Turn& t) { return !t.summary.isEmpty(); });
      }
      nAtOnce += nWriting > 1;
      for (const ConversationMark& mark : m_sessions->marks()) marked.insert(mark.kind);
    }
  }
  inline static std::set<Activity> reached;  // by all sequences so far
  inline static std::set<ConversationMark::Kind> marked;
  inline static int nCuts = 0;  // steps in a conversation with a summary
  inline static int nRemoved = 0;
  inline static int nAtOnce = 0;  // steps in which two answers or more were written

  // With an engine that answered everything: both sides agree.
  void checkSettled() {
    settle();
    const auto& truth = m_engine.loadedPath();
    ASSERT_EQ(m_load.loaded() != nullptr, truth.has_value());
    if (truth) {
      ASSERT_EQ(m_load.loaded()->path, *truth);
    }
    ASSERT_TRUE(m_load.isSettled());
    for (const ChatSession* session : m_sessions->sessions()) {
      ASSERT_EQ(session->activity(), truth ? Activity::Idle : Activity::NoModel);
      ASSERT_TRUE(isNeeded(*session)) << "nobody waits for it";
    }
    ASSERT_FALSE(m_sessions->isOpening());
  }

  // From wherever it is, a user who goes elsewhere and loads a model gets an answer.
  void checkThereIsAWayOn() {
    m_engine.faults = {};
    m_engine.isReliable = m_store.isReliable = true;
    m_sessions->newConversation();
    m_load.load("/models/last.gguf", m_plans[0]);
    settle();
    ASSERT_EQ(m_load.phase(), LoadPhase::Loaded);
    ASSERT_TRUE(m_load.isSettled());
    ASSERT_TRUE(chat().canStart());
    chat().draft().handleEvent(draft_event::Typed{newText()});
    ASSERT_TRUE(sendDraft());
    settle();
    const QStringList path = chat().tree().path();
    ASSERT_EQ(path.size(), 2);
    ASSERT_EQ(chat().tree().find(path[1])->state, TurnState::Done);
    ASSERT_FALSE(chat().tree().find(path[1])->text.isEmpty());
    checkAlways();
  }

  // In whatever state: no answer goes on, and the store has what was there.
  void quit() {
    m_sessions.reset();
    m_store.isReliable = true;
    settle();
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
      ASSERT_EQ(std::count_if(turns.begin(), turns.end(),
                              [&text = text](const Turn& t) { return t.role == Role::User && t.text == text; }),
                std::count(m_sent.begin(), m_sent.end(), std::pair(conversationId, text)));
    }
  }

 private:
  void settle() {
    while (m_engine.work() || m_engine.deliver() || m_store.deliver()) {
    }
  }

  void checkAlways() {
    QSet<QString> ids;
    int nNew = 0;
    for (const ChatSession* session : m_sessions->sessions()) {
      checkSession(*session);
      ids.insert(session->head().id);
      nNew += !session->isStored();
    }
    ASSERT_EQ(ids.size(), m_sessions->sessions().size()) << "a conversation is alive once";
    ASSERT_TRUE(ids.contains(chat().head().id));
    ASSERT_LE(nNew, 1);
    ASSERT_EQ(m_load.phase() == LoadPhase::Loaded, !isLoading() && m_load.loaded() != nullptr);
  }
  void checkSession(const ChatSession& session) {
    const Activity activity = session.activity();
    const auto& turns = session.tree().turns();
    const auto nWriting =
        std::count_if(turns.begin(), turns.end(), [](const Turn& t) { return t.state == TurnState::Writing; });
    const bool answers = activity == Activity::Reading || activity == Activity::Writing;
    ASSERT_LE(nWriting, answers || activity == Activity::Stopping ? 1 : 0);
    ASSERT_GE(nWriting, answers ? 1 : 0);
    ASSERT_EQ(session.canStart(), activity == Activity::Idle);
    ASSERT_TRUE(session.isBusy() || isNeeded(session));
    ASSERT_EQ(m_sessions->answersBefore(session) > 0,
              session.isBusy() && m_sessions->marks().value(session.head().id).kind == ConversationMark::Kind::Waiting);
    const QString resume = session.trouble().resumeId;
    ASSERT_TRUE(resume.isEmpty() || session.tree().find(resume) != nullptr);
  }
  // Though it does not answer.
  bool isNeeded(const ChatSession& session) const {
    return &session == &m_sessions->current() || !session.isStored() || session.trouble().kind != Trouble::Kind::None;
  }
  ChatSession& chat() { return m_sessions->current(); }
  // Each session is the current one before anything is written in it.
  void hear() {
    if (chat().property("isHeard").toBool()) return;
    chat().setProperty("isHeard", true);
    QObject::connect(&chat(), &ChatSession::textAppended, &chat(),
                     [this](const QString& id, const QString& text) { m_written[id] += text; });
    QObject::connect(&chat(), &ChatSession::thinkingAppended, &chat(),
                     [this](const QString& id, const QString& text) { m_thought[id] += text; });
  }
  bool isLoading() const { return m_load.phase() == LoadPhase::Loading; }

  QString newText() { return QStringLiteral("message %1").arg(++m_nTexts); }
  bool send() {
    const QString text = newText();
    const bool wasNew = !chat().isStored();
    if (!chat().send(text, {})) return false;
    sent(text, wasNew);
    return true;
  }
  void edit() {
    const QString text = newText(), id = anyTurn();
    const bool isAnswer = this->isAnswer(id);
    if (!chat().edit(id, text, {})) return;
    isAnswer ? rewritten(text) : sent(text, false);
  }
  bool sendDraft() {
    const QString text = chat().draft().message().text;
    const bool wasNew = !chat().isStored(), isAnswer = this->isAnswer(chat().draft().editedTurn());
    if (!chat().sendDraft()) return false;
    isAnswer ? rewritten(text) : sent(text, wasNew);
    return true;
  }
  bool isAnswer(const QString& turnId) {
    const Turn* turn = chat().tree().find(turnId);
    return turn != nullptr && turn->role == Role::Assistant;
  }
  // An answer, by hand: it is the newest turn then.
  void rewritten(const QString& text) {
    const QString id = chat().tree().turns().back().id;
    ASSERT_EQ(chat().tree().find(id)->text, text);
    ASSERT_TRUE(chat().tree().path().contains(id));
    m_written[id] = text;
  }
  void removeTurn() {
    const QString id = anyTurn();
    if (id.isEmpty() || chat().isBusy()) return chat().removeTurn(id, false);
    const bool isAlone = m_random() % 2 == 0;
    if (isAlone && !chat().tree().canRemoveAlone(id)) return chat().removeTurn(id, true);
    const QStringList gone = isAlone ? QStringList(id) : chat().tree().below(id) << id;
    for (const QString& each : gone) {
      m_written.remove(each);
      m_thought.remove(each);
      const auto at = std::ranges::find(m_sent, std::pair(chat().head().id, chat().tree().find(each)->text));
      if (at != m_sent.end() && !isAnswer(each)) m_sent.erase(at);
    }
    chat().removeTurn(id, isAlone);
    for (const QString& each : gone) ASSERT_EQ(chat().tree().find(each), nullptr);
    ++nRemoved;
  }
  void chooseOptions() {
    AnswerOptions options;
    options.whenFull = static_cast<WhenFull>(m_random() % 3);
    chat().setOptions(options);
  }
  // Wherever it was written for, it is seen and the model reads it.
  void sent(const QString& text, bool wasNew) {
    m_sent.emplace_back(chat().head().id, text);
    if (wasNew) m_drafts[QString()] = {};  // it went with the first message
    const QStringList path = chat().tree().path();
    ASSERT_GE(path.size(), 2);
    ASSERT_EQ(chat().tree().find(path[path.size() - 2])->text, text);
    ASSERT_TRUE(m_engine.lastMessages.back().content.ends_with(text.toStdString()));
  }
  static QString draftKey(const ChatSession& session) { return session.isStored() ? session.head().id : QString(); }
  QString anyTurn() {
    const auto& turns = chat().tree().turns();
    return turns.empty() ? QString() : turns[m_random() % turns.size()].id;
  }
  QString anyConversation() {
    const QStringList ids = m_store.conversations.keys();
    return ids.isEmpty() ? QStringLiteral("none") : ids[static_cast<qsizetype>(m_random() % ids.size())];
  }
  const std::shared_ptr<const MemoryPlan>& anyPlan() { return m_plans[m_random() % 2]; }

  // What is done often in a chat is done often here: rare acts in between meet something that runs.
  void act() {
    static constexpr std::array<unsigned, 25> kWeights{12, 3, 3, 4, 2, 4, 5, 5, 2, 2, 6, 2, 1,
                                                       1,  2, 1, 1, 1, 3, 2, 2, 2, 2, 2, 2};
    std::discrete_distribution<int> which(kWeights.begin(), kWeights.end());
    switch (which(m_random)) {
      case 0: send(); break;
      case 1: edit(); break;
      case 2: chat().regenerate(anyTurn()); break;
      case 3: chat().continueAnswer(chat().tree().lastId()); break;
      case 4: chat().answer(chat().tree().lastId()); break;
      case 5: chat().stop(); break;
      case 6: m_sessions->newConversation(); break;
      case 7: m_sessions->openConversation(anyConversation()); break;
      case 8: chat().chooseVersion(anyTurn()); break;
      case 9: chat().dropOldest(); break;
      case 10: chat().summarise(); break;
      case 11: chat().agreeToPlainTemplate(); break;
      case 12: chat().setSystemPrompt(newText()); break;
      case 13: remove(anyConversation()); break;
      case 14: m_load.load(m_random() % 2 == 0 ? "/models/a.gguf" : "/models/b.gguf", anyPlan()); break;
      case 15: m_load.load(m_load.loaded() ? m_load.loaded()->path : "/models/a.gguf", anyPlan()); break;
      case 16: m_load.cancel(); break;
      case 18: chat().draft().handleEvent(draft_event::Typed{newText()}); break;
      case 19: chat().editTurn(anyTurn()); break;
      case 20: sendDraft(); break;
      case 21: leaveEdit(); break;
      case 22: m_sessions->stop(anyConversation()); break;
      case 23: removeTurn(); break;
      case 24: chooseOptions(); break;
      default: m_random() % 2 == 0 ? m_load.unload() : m_sessions->renameConversation(anyConversation(), newText());
    }
  }
  void leaveEdit() {
    chat().draft().handleEvent(draft_event::EscapePressed{});
    if (m_random() % 2 == 0) chat().draft().handleEvent(draft_event::DiscardAgreed{});
  }
  void remove(const QString& id) {
    m_store.remove(id);
    m_sessions->forgetConversation(id);
  }

  inline static const std::array<std::shared_ptr<const MemoryPlan>, 2> m_plans{planWith(512, 2), planWith(1024, 3)};
  std::mt19937 m_random;
  test::AsyncEnginePort m_engine{m_random};
  test::AsyncConversationPort m_store{m_random};
  LoadState m_load{m_engine};
  SettingsModel m_settings;
  std::optional<ChatSessions> m_sessions{std::in_place, m_engine, m_store, m_settings};
  unsigned m_nTexts = 0;
  std::vector<std::pair<QString, QString>> m_sent;  // conversation, text
  QHash<QString, Draft> m_drafts;                   // conversation (empty: the new one), what is being written in it
  QHash<QString, QString> m_written, m_thought;     // turn, all that was shown of it
};

// A fuzzer that never gets anywhere finds nothing.
void expectEverythingWasReached() {
  EXPECT_EQ(Player::reached.size(), 6U);
  EXPECT_EQ(Player::marked.size(), 4U);
  EXPECT_GT(Player::nAtOnce, 1'000);
  EXPECT_GT(Player::nCuts, 1'000);
  EXPECT_GT(Player::nRemoved, 500);
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

TEST(LifecycleFuzz, a_program_that_ends_in_any_state_has_kept_all_that_was_typed_and_shown) {
  for (unsigned seed = 0; seed < kSequences && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Player player(seed, {});
    player.play(static_cast<int>(seed % kSteps));
    player.quit();
    player.checkNothingIsLost();
  }
}

}  // namespace
}  // namespace headroom::ui
