#include "app/token_keeper.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "support/temp_folder.h"
#include "support/use_variable.h"

namespace headroom::app {
namespace {

using ui::TokenSource;

// A keyring that answers when the test lets it.
struct FakeKeyring {
  QByteArray kept;
  bool isThere = true, deletes = true;
  std::vector<std::function<void()>> answers;

  Keyring ports() {
    Keyring made;
    made.read = [this](const std::function<void(bool, const QByteArray&)>& then) {
      answers.push_back([this, then] { then(isThere, isThere ? kept : QByteArray()); });
    };
    made.write = [this](const QByteArray& token, const std::function<void(bool)>& then) {
      answers.push_back([this, token, then] {
        const bool isDone = isThere && (deletes || !token.isEmpty());
        if (isDone) kept = token;
        then(isDone);
      });
    };
    return made;
  }
  void answer() {
    for (const auto& tell : std::exchange(answers, {})) tell();
  }
};

class TokenKeeperTest : public testing::Test {
 protected:
  test::TempFolder folder;
  test::UseVariable home{"HF_HOME", folder.path().string()};
  test::UseVariable none{"HF_TOKEN", ""};
  FakeKeyring keyring;
};

TEST_F(TokenKeeperTest, nobody_is_asked_before_there_is_a_use_for_it) {
  TokenKeeper keeper(keyring.ports());
  EXPECT_TRUE(keyring.answers.empty());
  EXPECT_FALSE(keeper.isReady());
  QSignalSpy ready(&keeper, &ui::TokenPort::ready);
  keeper.prepare();
  keeper.prepare();
  EXPECT_EQ(keyring.answers.size(), 1U);
  keyring.answer();
  EXPECT_EQ(ready.count(), 1);
  keeper.prepare();
  EXPECT_EQ(ready.count(), 2);
}

TEST_F(TokenKeeperTest, ours_comes_before_that_of_the_environment_and_that_before_the_hubs_file) {
  const auto sourceNow = [this] {
    TokenKeeper keeper(keyring.ports());
    keeper.prepare();
    keyring.answer();
    return std::pair(keeper.source(), keeper.token());
  };
  EXPECT_EQ(sourceNow(), std::pair(TokenSource::None, QByteArray()));
  test::write_file(folder.path() / "token", "hf_file\n");
  EXPECT_EQ(sourceNow(), std::pair(TokenSource::HubFile, QByteArray("hf_file")));
  const test::UseVariable variable("HF_TOKEN", "hf_env");
  EXPECT_EQ(sourceNow(), std::pair(TokenSource::Environment, QByteArray("hf_env")));
  keyring.kept = "hf_own";
  EXPECT_EQ(sourceNow(), std::pair(TokenSource::Keyring, QByteArray("hf_own")));
  keyring.isThere = false;
  EXPECT_EQ(sourceNow(), std::pair(TokenSource::Environment, QByteArray("hf_env")));
}

TEST_F(TokenKeeperTest, what_is_given_is_used_at_once_and_kept_when_the_keyring_says_so) {
  TokenKeeper keeper(keyring.ports());
  keeper.setToken("hf_own");
  EXPECT_EQ(keeper.token(), "hf_own");
  EXPECT_EQ(keeper.source(), TokenSource::ThisRun);
  keyring.answer();
  EXPECT_EQ(keeper.source(), TokenSource::Keyring);
  EXPECT_EQ(keyring.kept, "hf_own");
  keeper.setToken({});
  keyring.answer();
  EXPECT_EQ(keeper.source(), TokenSource::None);
  EXPECT_TRUE(keyring.kept.isEmpty());
}

TEST_F(TokenKeeperTest, without_a_keyring_it_lives_for_this_run_and_says_so) {
  keyring.isThere = false;
  TokenKeeper keeper(keyring.ports());
  keeper.setToken("hf_own");
  keyring.answer();
  EXPECT_EQ(keeper.token(), "hf_own");
  EXPECT_EQ(keeper.source(), TokenSource::ThisRun);
}

TEST_F(TokenKeeperTest, what_the_keyring_did_not_delete_is_still_kept_and_said_to_be) {
  keyring.kept = "hf_own";
  TokenKeeper keeper(keyring.ports());
  keeper.prepare();
  keyring.answer();
  keyring.deletes = false;
  QSignalSpy changed(&keeper, &ui::TokenPort::changed);
  keeper.setToken({});
  EXPECT_FALSE(keeper.isStillKept()) << "nobody has refused yet";
  keyring.answer();
  EXPECT_EQ(changed.count(), 2);
  EXPECT_TRUE(keeper.isStillKept());
  EXPECT_TRUE(keeper.token().isEmpty()) << "it is not used in this run";
  keyring.deletes = true;
  keeper.setToken({});
  keyring.answer();
  EXPECT_FALSE(keeper.isStillKept());
  EXPECT_TRUE(keyring.kept.isEmpty());
}

TEST_F(TokenKeeperTest, one_that_was_kept_after_it_was_taken_back_is_still_kept_too) {
  TokenKeeper keeper(keyring.ports());
  keyring.deletes = false;
  keeper.setToken("hf_own");
  keeper.setToken({});  // before the keyring has answered
  keyring.answer();
  EXPECT_EQ(keyring.kept, "hf_own");
  EXPECT_TRUE(keeper.isStillKept());
  EXPECT_TRUE(keeper.token().isEmpty());
}

TEST_F(TokenKeeperTest, without_a_keyring_nothing_is_still_kept) {
  keyring.isThere = false;
  TokenKeeper keeper(keyring.ports());
  keeper.setToken("hf_own");
  keyring.answer();
  keeper.setToken({});
  keyring.answer();
  EXPECT_FALSE(keeper.isStillKept());
}

TEST_F(TokenKeeperTest, late_answers_change_nothing) {
  TokenKeeper keeper(keyring.ports());
  keyring.kept = "hf_old";
  keeper.prepare();
  keeper.setToken("hf_new");
  keyring.answer();
  EXPECT_EQ(keeper.token(), "hf_new");
  keeper.setToken("hf_next");
  keeper.setToken({});
  keyring.answer();
  EXPECT_EQ(keeper.source(), TokenSource::None);
  {
    TokenKeeper gone(keyring.ports());
    gone.prepare();
    gone.setToken("hf_x");
  }
  keyring.answer();
}

TEST_F(TokenKeeperTest, what_could_break_a_line_of_a_request_is_no_token) {
  TokenKeeper keeper(keyring.ports());
  for (const QByteArray& bad : {QByteArray("hf_a\r\nHost: x"), QByteArray("two words"), QByteArray(2000, 'x')}) {
    keeper.setToken(bad);
    EXPECT_TRUE(keeper.token().isEmpty()) << bad.toStdString();
  }
}

}  // namespace
}  // namespace headroom::app
