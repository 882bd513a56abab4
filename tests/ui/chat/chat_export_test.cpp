#include "ui/chat/chat_export.h"

#include <gtest/gtest.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace headroom::ui {
namespace {

constexpr qint64 kMs = 1'700'000'000'000;  // 2023-11-14T22:13:20Z

class ChatExportTest : public testing::Test {
 protected:
  void SetUp() override {
    const QString question = m_tree.append({}, Role::User, "What is *this*?", kMs);
    m_tree.find(question)->attachments = {{"a.txt", "line"}};
    m_first = m_tree.append(question, Role::Assistant, "First answer.", kMs);
    m_second = m_tree.append(question, Role::Assistant, "Second answer.", kMs);
    Turn& second = *m_tree.find(m_second);
    second.modelName = "Llama";
    second.state = TurnState::LimitHit;
    second.seed = ~quint64{0};
    second.generatedTokens = 3;
  }
  QJsonObject json() const { return QJsonDocument::fromJson(conversationAsJson(m_head, m_tree)).object(); }

  ConversationHead m_head{"id-1", "A title", "Be brief.", kMs, kMs + 1000};
  ChatTree m_tree;
  QString m_first, m_second;
};

TEST_F(ChatExportTest, markdown_holds_the_active_path_with_what_was_sent) {
  EXPECT_EQ(conversationAsMarkdown(m_head, m_tree).toStdString(),
            "# A title\n\n**System**\n\nBe brief.\n\n## You\n\nWhat is *this*?\n\nFile a.txt:\n```\nline\n```\n\n"
            "## Llama\n\nSecond answer.\n");
  m_tree.choose(m_first);
  m_head.systemPrompt.clear();
  const QString other = conversationAsMarkdown(m_head, m_tree);
  EXPECT_TRUE(other.contains("## Assistant\n\nFirst answer.")) << "a model without a name";
  EXPECT_FALSE(other.contains("System"));
}

// An answer may be stopped inside a block of code; what follows it is no code.
TEST_F(ChatExportTest, a_fence_that_an_answer_left_open_ends_with_it) {
  m_head.systemPrompt.clear();
  const auto exported = [&](const QString& answer) {
    m_tree.find(m_second)->text = answer;
    return conversationAsMarkdown(m_head, m_tree).section("## Llama\n\n", 1).toStdString();
  };
  EXPECT_EQ(exported("So:\n```cpp\nint x;"), "So:\n```cpp\nint x;\n```\n");
  EXPECT_EQ(exported("~~~~\n```\nx\n"), "~~~~\n```\nx\n\n~~~~\n");
  EXPECT_EQ(exported("1. Do:\n   ```sh\n   ls"), "1. Do:\n   ```sh\n   ls\n   ```\n");
  EXPECT_EQ(exported("```\nx\n```"), "```\nx\n```\n") << "one that is closed";
}

TEST_F(ChatExportTest, what_was_thought_is_folded_above_the_answer) {
  Turn& second = *m_tree.find(m_second);
  second.thinking = "Is it?\n\n```\nx </DETAILS>";
  second.thinkingMs = 34'500;
  EXPECT_EQ(conversationAsMarkdown(m_head, m_tree).section("## Llama\n\n", 1).toStdString(),
            "<details>\n<summary>Thought for 34 s</summary>\n\nIs it?\n\n```\nx &lt;/details>\n```\n\n</details>\n\n"
            "Second answer.\n");
  EXPECT_EQ(json()["turns"][2]["thinking"].toString(), second.thinking);
  EXPECT_EQ(json()["turns"][2]["thinking_seconds"].toDouble(), 34.5);
  EXPECT_EQ(json()["turns"][2]["text"].toString(), "Second answer.");
  EXPECT_FALSE(json()["turns"][1].toObject().contains("thinking"));
}

TEST_F(ChatExportTest, json_holds_every_version_with_its_parent) {
  const QJsonObject root = json();
  EXPECT_EQ(root["format"].toString(), "headroom-conversation");
  EXPECT_EQ(root["created"].toString(), "2023-11-14T22:13:20Z");
  EXPECT_EQ(root["updated"].toString(), "2023-11-14T22:13:21Z");
  const QJsonArray turns = root["turns"].toArray();
  ASSERT_EQ(turns.size(), 3);
  EXPECT_TRUE(turns[0]["parent"].isNull());
  EXPECT_EQ(turns[0]["attachments"][0]["text"].toString(), "line");
  for (const int i : {1, 2}) EXPECT_EQ(turns[i]["parent"], turns[0]["id"]) << i;
  EXPECT_FALSE(turns[1]["active"].toBool());
  EXPECT_TRUE(turns[2]["active"].toBool());
  EXPECT_EQ(turns[2]["seed"].toString(), "18446744073709551615") << "64 bits, whole";
  EXPECT_EQ(turns[2]["state"].toString(), "length_limit");
}

TEST_F(ChatExportTest, every_state_has_a_key_of_its_own) {
  QStringList keys;
  for (const TurnState state : {TurnState::Done, TurnState::Writing, TurnState::Stopped, TurnState::LimitHit,
                                TurnState::ContextFull, TurnState::Interrupted}) {
    m_tree.find(m_second)->state = state;
    keys.append(json()["turns"][2]["state"].toString());
  }
  EXPECT_EQ(keys.join(' '), "done writing stopped length_limit context_full interrupted");
}

TEST_F(ChatExportTest, an_empty_conversation_is_a_valid_file) {
  EXPECT_EQ(conversationAsMarkdown({}, ChatTree()), "# \n");
  EXPECT_TRUE(QJsonDocument::fromJson(conversationAsJson({}, ChatTree())).isObject());
}

}  // namespace
}  // namespace headroom::ui
