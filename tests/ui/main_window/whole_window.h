// The window with all that the program puts into it: the chat and the library over fakes.
#pragma once

#include "support/fake_conversation_port.h"
#include "tests/ui/main_window/window_fixture.h"
#include "ui/chat/chat_widget.h"
#include "ui/library/library_page.h"

namespace headroom::ui {

class WholeWindow : public WindowFixture {
 protected:
  void TearDown() override {
    m_window.reset();
    WindowFixture::TearDown();
  }
  // Behind makeWindow().
  void addPlaces() {
    m_window->setLibraryPage(new LibraryPage(m_theme, m_library));
    m_chat = new ChatWidget(m_sessions, m_store, m_theme);
    m_window->setChatWidget(m_chat);
  }

  ChatWidget* m_chat = nullptr;
  test::FakeConversationPort m_store;
  SettingsModel m_chatSettings;
  ModelLibrary m_library{{}, libraryPlaces({}), {}};
  ChatSessions m_sessions{m_engine, m_store, m_chatSettings};
};

}  // namespace headroom::ui
