#include "app/single_instance.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QLocalSocket>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <atomic>
#include <csignal>
#include <thread>

#include "app/native_path.h"
#include "app/settings_store.h"

namespace headroom::app {
namespace {

using namespace std::chrono_literals;

SingleInstance::Options patient(std::chrono::milliseconds patience) {
  SingleInstance::Options options;
  options.patience = patience;
  return options;
}

std::unique_ptr<SingleInstance> first(const QString& folder) {
  auto claimed = SingleInstance::claim(folder, {}, patient(60s));
  EXPECT_TRUE(claimed.ok()) << (claimed.ok() ? "" : claimed.error().message.text());
  return claimed.ok() ? std::move(*claimed) : nullptr;
}

// A second start, on a thread, while this thread's loop answers as the first one's does.
Result<std::unique_ptr<SingleInstance>> second(const QString& folder, const HandOver& wish,
                                               const SingleInstance::Options& options = patient(60s)) {
  Result<std::unique_ptr<SingleInstance>> claimed = Error{};
  std::atomic<bool> isDone = false;
  std::thread start([&] {
    claimed = SingleInstance::claim(folder, wish, options);
    if (claimed && *claimed) (*claimed)->moveToThread(qApp->thread());
    isDone = true;
  });
  EXPECT_TRUE(QTest::qWaitFor([&] { return isDone.load(); }, 120'000));
  start.join();
  return claimed;
}

HandOver received(QSignalSpy& spy) { return spy.isEmpty() ? HandOver{} : spy[0][0].value<HandOver>(); }

TEST(SingleInstance, a_second_start_hands_over_every_path_as_it_is) {
  QTemporaryDir folder;
  const auto holder = first(folder.filePath("data folder"));
  ASSERT_NE(holder, nullptr);
  QSignalSpy handed(holder.get(), &SingleInstance::handedOver);
  HandOver wish;
  wish.activationToken = "token-1";
  const QByteArray odd[] = {"/a b/c.gguf",  "/new\nline.gguf", "/caf\xe9.gguf", "/\xff\xfe\x80",
                            "/ü/模型.gguf", "/🦓",           "/\xed\xa0\x80"};
  for (const QByteArray& path : odd) wish.paths.append(pathFromBytes(path));
  const auto claimed = second(folder.filePath("data folder"), wish);
  ASSERT_TRUE(claimed.ok()) << claimed.error().message.text();
  EXPECT_EQ(*claimed, nullptr);
  ASSERT_EQ(handed.count(), 1);
  EXPECT_EQ(received(handed).activationToken, "token-1");
  ASSERT_EQ(received(handed).paths.size(), static_cast<qsizetype>(std::size(odd)));
  for (std::size_t i = 0; i < std::size(odd); ++i)
    EXPECT_EQ(toNativePath(received(handed).paths[static_cast<qsizetype>(i)]).native(), odd[i].toStdString());
}

TEST(SingleInstance, another_data_folder_is_another_instance) {
  QTemporaryDir folder;
  const auto one = first(folder.filePath("one")), two = first(folder.filePath("two"));
  EXPECT_NE(one, nullptr);
  EXPECT_NE(two, nullptr);
}

TEST(SingleInstance, the_same_folder_by_another_name_is_the_same_instance) {
  QTemporaryDir folder;
  const auto holder = first(folder.filePath("data"));
  ASSERT_TRUE(QFile::link(folder.filePath("data"), folder.filePath("alias")));
  QSignalSpy handed(holder.get(), &SingleInstance::handedOver);
  const auto claimed = second(folder.filePath("alias"), {{"/x"}, {}});
  ASSERT_TRUE(claimed.ok()) << claimed.error().message.text();
  EXPECT_EQ(*claimed, nullptr);
  EXPECT_EQ(received(handed).paths, QStringList{"/x"});
}

TEST(SingleInstance, one_that_ends_is_waited_for_and_taken_over_from) {
  QTemporaryDir folder;
  auto holder = first(folder.path());
  holder->stopListening();
  QTimer::singleShot(300, [&] { holder.reset(); });
  const auto claimed = second(folder.path(), {{"/x"}, {}});
  ASSERT_TRUE(claimed.ok()) << claimed.error().message.text();
  EXPECT_NE(*claimed, nullptr);
}

// The loop of this test does not run while the second start waits.
TEST(SingleInstance, one_that_hangs_is_named_in_a_clear_error) {
  QTemporaryDir folder;
  const auto holder = first(folder.path());
  const auto claimed = SingleInstance::claim(folder.path(), {{"/x"}, {}}, patient(200ms));
  ASSERT_FALSE(claimed.ok());
  for (const QString& part : {folder.path(), QString::number(getpid()), QString("does not answer")})
    EXPECT_NE(claimed.error().message.text().find(part.toStdString()), std::string::npos)
        << claimed.error().message.text();
}

TEST(SingleInstance, a_lock_whose_holder_says_nothing_of_itself_is_a_clear_error) {
  QTemporaryDir folder;
  const auto holder = first(folder.path());
  for (const QByteArray& note : {QByteArray(), QByteArray("12"), QByteArray("12\n/nowhere/at/all") + '\0',
                                 QByteArray(10'000, 'x'), QByteArray("12\n" + QByteArray(5000, 'y')) + '\0'}) {
    QFile file(folder.filePath("headroom.lock"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));  // the same file, so the lock on it holds
    file.write(note);
    file.close();
    const auto claimed = SingleInstance::claim(folder.path(), {{"/x"}, {}}, patient(100ms));
    ASSERT_FALSE(claimed.ok());
    EXPECT_NE(claimed.error().message.text().find("does not answer"), std::string::npos)
        << claimed.error().message.text();
  }
}

TEST(SingleInstance, what_answers_for_another_user_is_told_nothing) {
  QTemporaryDir folder;
  const auto holder = first(folder.path());
  QSignalSpy handed(holder.get(), &SingleInstance::handedOver);
  SingleInstance::Options options = patient(60s);
  options.trustedUser = geteuid() + 1;  // as this user sees a process of that one, so that one sees this user's
  const auto claimed = second(folder.path(), {{"/x"}, {}}, options);
  ASSERT_FALSE(claimed.ok());
  EXPECT_NE(claimed.error().message.text().find("another user"), std::string::npos) << claimed.error().message.text();
  EXPECT_EQ(handed.count(), 0);
}

TEST(SingleInstance, another_user_is_not_listened_to) {
  QTemporaryDir folder;
  SingleInstance::Options options = patient(60s);
  options.trustedUser = geteuid() + 1;
  auto claimed = SingleInstance::claim(folder.path(), {}, options);
  ASSERT_TRUE(claimed.ok());
  QSignalSpy handed(claimed->get(), &SingleInstance::handedOver);
  const auto refused = second(folder.path(), {{"/x"}, {}}, patient(500ms));
  EXPECT_FALSE(refused.ok());
  EXPECT_EQ(handed.count(), 0);
}

TEST(SingleInstance, a_folder_that_can_hold_no_lock_is_worked_in_unguarded) {
  const auto one = SingleInstance::claim("/proc/nowhere", {}, patient(1s));
  ASSERT_TRUE(one.ok()) << one.error().message.text();
  EXPECT_NE(*one, nullptr);
}

TEST(HandOverMessage, it_is_whole_only_with_its_last_byte) {
  const QByteArray message = encodeHandOver({{"/one", "/two words"}, "t"});
  HandOver read;
  for (qsizetype n = 0; n < message.size(); ++n)
    ASSERT_EQ(decodeHandOver(message.first(n), &read), Decoded::NeedsMore) << n;
  ASSERT_EQ(decodeHandOver(message, &read), Decoded::Whole);
  EXPECT_EQ(read.paths, (QStringList{"/one", "/two words"}));
  EXPECT_EQ(decodeHandOver(message + "x", &read), Decoded::Bad);
}

TEST(HandOverMessage, what_lies_about_itself_is_refused) {
  HandOver read;
  const QByteArray good = encodeHandOver({{"/one"}, {}});
  for (qsizetype at = 0; at < good.size(); ++at) {
    for (const int bit : {0, 4, 7}) {
      QByteArray bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      if (decodeHandOver(bad, &read) != Decoded::Whole) continue;
      EXPECT_GE(at, good.size() - 3) << "only letters of the path can differ";
    }
  }
  EXPECT_EQ(decodeHandOver(encodeHandOver({{"relative"}, {}}), &read), Decoded::Bad);
  EXPECT_EQ(decodeHandOver(encodeHandOver({{""}, {}}), &read), Decoded::Bad);
  EXPECT_EQ(decodeHandOver(encodeHandOver({{QString("/a") + QChar(0) + "b"}, {}}), &read), Decoded::Bad);
  EXPECT_EQ(decodeHandOver(encodeHandOver({{"/" + QString(40'000, 'x')}, {}}), &read), Decoded::Bad);
  EXPECT_EQ(decodeHandOver(encodeHandOver({QStringList(65, "/x"), {}}), &read), Decoded::Bad);
  EXPECT_EQ(decodeHandOver("GET / HTTP/1.1\r\n", &read), Decoded::Bad);
}

TEST(SingleInstance, more_than_can_be_said_is_refused_before_anything_is_started) {
  QTemporaryDir folder;
  const auto claimed = SingleInstance::claim(folder.path(), {QStringList(65, "/x"), {}});
  ASSERT_FALSE(claimed.ok());
  EXPECT_EQ(claimed.error().code, ErrorCode::kUsage);
}

TEST(SingleInstance, whoever_says_nothing_or_nonsense_is_let_go_and_the_next_is_served) {
  QTemporaryDir folder;
  const auto holder = first(folder.path());
  QSignalSpy handed(holder.get(), &SingleInstance::handedOver);
  QFile lock(folder.filePath("headroom.lock"));
  ASSERT_TRUE(lock.open(QIODevice::ReadOnly));
  const QString name = QFile::decodeName(lock.readAll().split('\n').value(1).chopped(1));
  std::vector<std::unique_ptr<QLocalSocket>> idle;
  for (int i = 0; i < 20; ++i) {
    idle.push_back(std::make_unique<QLocalSocket>());
    idle.back()->connectToServer(name);
    if (i % 2 == 0) idle.back()->write(i % 4 == 0 ? "nonsense that is no message" : "HEADROOM");
  }
  const auto claimed = second(folder.path(), {{"/x"}, {}});
  ASSERT_TRUE(claimed.ok()) << claimed.error().message.text();
  EXPECT_EQ(*claimed, nullptr);
  EXPECT_EQ(received(handed).paths, QStringList{"/x"});
  for (const auto& socket : idle)
    EXPECT_TRUE(QTest::qWaitFor([&] { return socket->state() == QLocalSocket::UnconnectedState; }, 60'000));
}

// Processes of their own, which are killed and started at the same moment.
class InstanceProcessTest : public testing::Test {
 protected:
  std::unique_ptr<QProcess> start(const QString& path) {
    auto process = std::make_unique<QProcess>();
    process->start(HEADROOM_INSTANCE_CHILD, {m_folder.path(), path});
    return process;
  }
  // "first", or "over" when it handed its path over; then one line for each path that it was handed.
  static QByteArray line(QProcess& process) {
    EXPECT_TRUE(QTest::qWaitFor([&] { return process.canReadLine(); }, 120'000))
        << process.readAllStandardError().toStdString();
    return process.readLine().trimmed();
  }
  QTemporaryDir m_folder;
};

TEST_F(InstanceProcessTest, what_a_killed_one_leaves_stops_nobody) {
  for (int round = 0; round < 3; ++round) {
    const auto process = start("/x");
    EXPECT_EQ(line(*process), "first");
    ::kill(static_cast<pid_t>(process->processId()), SIGKILL);
    process->waitForFinished();
  }
}

TEST_F(InstanceProcessTest, one_that_is_stopped_is_named_and_its_end_makes_room) {
  const auto stopped = start("/x");
  EXPECT_EQ(line(*stopped), "first");
  ::kill(static_cast<pid_t>(stopped->processId()), SIGSTOP);
  const auto refused = SingleInstance::claim(m_folder.path(), {{"/y"}, {}}, patient(300ms));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.text().find(std::to_string(stopped->processId())), std::string::npos);
  const auto waiting = start("/z");
  ::kill(static_cast<pid_t>(stopped->processId()), SIGKILL);
  stopped->waitForFinished();
  EXPECT_EQ(line(*waiting), "first");
  waiting->kill();
  waiting->waitForFinished();
}

TEST_F(InstanceProcessTest, of_many_that_start_at_once_one_is_the_first_and_is_handed_all_others) {
  constexpr int kStarts = 8;
  std::vector<std::unique_ptr<QProcess>> processes;
  for (int i = 0; i < kStarts; ++i) processes.push_back(start(QString("/file %1").arg(i)));
  QProcess* holder = nullptr;
  int over = 0;
  for (const auto& process : processes) {
    const QByteArray said = line(*process);
    if (said == "first") {
      EXPECT_EQ(holder, nullptr);
      holder = process.get();
      continue;
    }
    EXPECT_EQ(said, "over");
    EXPECT_TRUE(process->state() == QProcess::NotRunning || process->waitForFinished());
    EXPECT_EQ(process->exitCode(), 0);
    ++over;
  }
  EXPECT_EQ(over, kStarts - 1);
  ASSERT_NE(holder, nullptr);
  QSet<QByteArray> handed;
  for (int i = 0; i < kStarts - 1; ++i) handed.insert(line(*holder));
  EXPECT_EQ(handed.size(), kStarts - 1) << "each path once";
  holder->kill();
  holder->waitForFinished();
}

// There is no window to say it, and no terminal of its own: the sentence is all that there is.
TEST(SingleInstance, why_a_start_ends_is_said_in_the_language_of_the_window) {
  const QTemporaryDir folder;
  ui::Settings settings;
  settings.general.language = ui::LanguageChoice::German;
  ASSERT_TRUE(SettingsStore(settingsFile(folder.path())).write(settings));
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("HEADROOM_DATA_DIR", folder.path());
  environment.insert("QT_QPA_PLATFORM", "offscreen");
  QProcess program;
  program.setProcessEnvironment(environment);
  program.start(HEADROOM_PROGRAM, QStringList(100, "x.gguf"));  // more than can be opened at once
  ASSERT_TRUE(program.waitForFinished(60'000));
  EXPECT_EQ(program.exitCode(), 2);
  const QByteArray told = program.readAllStandardError();
  EXPECT_TRUE(told.contains("headroom: Auf einmal lassen sich")) << told.constData();
}

}  // namespace
}  // namespace headroom::app
