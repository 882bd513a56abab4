// A chat whose engine and store are stand-ins, with a model of 1,000 positions loaded.
#pragma once

#include <gtest/gtest.h>

#include "support/fake_conversation_port.h"
#include "support/fake_engine_port.h"
#include "ui/chat/chat_sessions.h"

namespace headroom::ui {

class ChatSessionTest : public testing::Test {
 protected:
  void SetUp() override { m_engine.sendLoaded("tiny", 1000); }
  ChatSession& chat() { return m_sessions.current(); }
  const Turn& turn(qsizetype at) { return *chat().tree().find(chat().tree().path()[at]); }
  const ChatRequest& lastRequest() const { return m_engine.generates.back().request; }
  static ChatFigures figures(quint32 prompt, quint32 generated, quint32 used, quint32 length) {
    ChatFigures f;
    f.promptTokens = prompt;
    f.generatedTokens = generated;
    f.contextUsed = used;
    f.contextLength = length;
    f.decodeSeconds = 2;
    return f;
  }

  test::FakeEnginePort m_engine;
  test::FakeConversationPort m_store;
  SettingsModel m_settings;
  ChatSessions m_sessions{m_engine, m_store, m_settings};
};

}  // namespace headroom::ui
