// The program is killed at any moment; what it had finished is there at the next start.
#include <gtest/gtest.h>
#include <unistd.h>

#include <QFileInfo>
#include <QProcess>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <random>
#include <vector>

#include "app/conversation_database.h"
#include "app/conversation_store.h"
#include "tests/app/conversation_files.h"
#include "tests/app/conversation_sequence.h"

namespace headroom::app {
namespace {

// How many sequences; HEADROOM_KILL_SEQUENCES says another number.
constexpr int kSequences = 200;

// A kill leaves what the kernel was told, on whichever disk: one in memory does not make 200 sequences wait for a real
// one.
QString fastFolder() {
  const QFileInfo memory("/dev/shm");
  return (memory.isDir() && memory.isWritable() ? memory.filePath() : QDir::tempPath()) + "/headroom-kill-XXXXXX";
}

// Kills the child by what was stored so far or by time, whichever the seed says; the answer is how many steps it had
// reported as stored.
std::size_t playAndKill(const QString& file, unsigned seed, std::size_t steps) {
  std::mt19937 random(seed + 77);
  QProcess child;
  child.start(HEADROOM_SEQUENCE_CHILD, {file, QString::number(seed)});
  EXPECT_TRUE(child.waitForStarted());
  const bool byTime = random() % 4 == 0;
  const std::size_t target = random() % (steps + 1);
  QByteArray said;
  if (byTime) ::usleep(static_cast<useconds_t>(random() % 120'000));
  while (!byTime && static_cast<std::size_t>(said.count('\n')) < target && child.waitForReadyRead(60'000))
    said += child.readAllStandardOutput();
  ::usleep(static_cast<useconds_t>(random() % 1500));
  ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
  EXPECT_TRUE(child.waitForFinished());
  said += child.readAllStandardOutput();
  EXPECT_FALSE(said.contains("problem")) << said.toStdString();
  return static_cast<std::size_t>(said.count('\n'));
}

// Through the store, as the next start sees it.
QMap<QString, QString> readAll(const QString& file) {
  ConversationStore store(file);
  QSignalSpy problems(&store, &ui::ConversationPort::problemFound), listed(&store, &ui::ConversationPort::listed),
      opened(&store, &ui::ConversationPort::opened);
  store.list({});
  EXPECT_TRUE(QTest::qWaitFor([&] { return listed.count() == 1; }, 60'000));
  const auto all = listed.value(0).value(1).value<QVector<ui::ListedConversation>>();
  QSet<QString> pinned;
  for (const ui::ListedConversation& each : all) {
    store.open(each.id);
    if (each.isPinned) pinned.insert(each.id);
  }
  EXPECT_TRUE(QTest::qWaitFor([&] { return opened.count() == all.size(); }, 60'000));
  QMap<QString, QString> held;
  for (const QList<QVariant>& answer : opened) {
    const auto conversation = answer[0].value<ui::Conversation>();
    EXPECT_FALSE(held.contains(conversation.head.id)) << "shown twice";
    held[conversation.head.id] = test::inWords(conversation, pinned.contains(conversation.head.id));
  }
  EXPECT_EQ(problems.count(), 0) << problems.value(0).value(0).value<Message>();
  return held;
}

TEST(KilledStore, after_a_kill_at_any_moment_all_that_was_finished_is_there_and_nothing_twice) {
  bool isNumber = false;
  const int wished = qEnvironmentVariableIntValue("HEADROOM_KILL_SEQUENCES", &isNumber);
  const int sequences = isNumber && wished > 0 ? wished : kSequences;
  QSet<std::size_t> ends;  // how many different numbers of steps the kills left
  int migrated = 0;
  for (int n = 0; n < sequences; ++n) {
    const auto seed = static_cast<unsigned>(n);
    QTemporaryDir folder(fastFolder());
    const QString file = folder.filePath("conversations.sqlite");
    const bool isOld = n % 5 == 0;  // the child brings a file of the first version to the newest before it plays
    if (isOld) test::makeVersion1(file);
    const std::vector<test::Step> steps = test::sequenceOf(seed);
    const std::size_t stored = playAndKill(file, seed, steps.size());
    ASSERT_LE(stored, steps.size());
    QMap<QString, QString> held = readAll(file);
    if (isOld) {
      EXPECT_EQ(held.take("c-1").count('\n'), 5) << "four turns, one of them of two lines; seed " << seed;
      EXPECT_EQ(held.take("c-2").count('\n'), 2) << "seed " << seed;
      migrated += stored > 0;
    }
    // Changes are stored in their order and each is whole: what is there is what some first steps leave.
    std::size_t left = stored;
    while (left < steps.size() && test::heldAfter(steps, left) != held) ++left;
    ASSERT_EQ(test::heldAfter(steps, left), held) << "seed " << seed << ", " << stored << " steps were stored";
    ends.insert(left);
    test::RawDatabase raw(file);
    ASSERT_EQ(raw.rows("PRAGMA integrity_check"), QStringList{"ok"});
    ASSERT_EQ(raw.rows("PRAGMA foreign_key_check"), QStringList());
    raw.run("INSERT INTO turn_search(turn_search, rank) VALUES('integrity-check', 1)");
  }
  if (sequences < kSequences) return;
  EXPECT_GT(ends.size(), 30) << "the kills must come at many different moments";
  EXPECT_GT(migrated, 10);
}

// What a child had shown of its answer when it was killed.
struct Shown {
  QString conversationId;
  std::vector<qint64> wordsMs;  // when each word was shown, by the child's clock
};

Shown answerAndKill(const QString& file, int nWords) {
  QProcess child;
  child.start(HEADROOM_ANSWER_CHILD, {file});
  EXPECT_TRUE(child.waitForStarted());
  QByteArray said;
  while (said.count('\n') <= nWords && child.waitForReadyRead(60'000)) said += child.readAllStandardOutput();
  ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
  EXPECT_TRUE(child.waitForFinished());
  QList<QByteArray> lines = (said + child.readAllStandardOutput()).split('\n');
  lines.removeLast();  // what the kill cut off, or nothing
  Shown shown{QString::fromUtf8(lines.takeFirst()), {}};
  for (const QByteArray& line : lines) shown.wordsMs.push_back(line.split(' ').value(1).toLongLong());
  return shown;
}

TEST(KilledStore, of_an_answer_that_was_being_shown_half_a_second_at_most_is_lost) {
  std::mt19937 random(7);
  for (int run = 0; run < 8; ++run) {
    QTemporaryDir folder(fastFolder());
    const QString file = folder.filePath("conversations.sqlite");
    const Shown shown = answerAndKill(file, 50 + static_cast<int>(random() % 250));
    const auto opened = ConversationDatabase::open(file);
    ASSERT_TRUE(opened.ok());
    const Result<ui::Conversation> kept = (*opened)->read(shown.conversationId);
    ASSERT_TRUE(kept.ok()) << kept.error().message.text();
    ASSERT_EQ(kept->turns.size(), 2U) << "the answer itself was not stored";
    const auto nStored = static_cast<std::size_t>(kept->turns[1].text.count('w'));
    if (nStored >= shown.wordsMs.size()) continue;
    EXPECT_LE(shown.wordsMs.back() - shown.wordsMs[nStored], 500)
        << nStored << " of " << shown.wordsMs.size() << " words were stored";
  }
}

}  // namespace
}  // namespace headroom::app
