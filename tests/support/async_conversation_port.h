// A conversation port that answers later, in the order of the requests, and sometimes cannot read.
#pragma once

#include <deque>
#include <functional>
#include <random>

#include "support/fake_conversation_port.h"

namespace headroom::test {

class AsyncConversationPort : public FakeConversationPort {
  Q_OBJECT
 public:
  explicit AsyncConversationPort(std::mt19937& random) : m_random(random) {}

  bool isReliable = false;  // whatever is there can be read

  void list(const QString& search) override {
    post([=, this] { FakeConversationPort::list(search); });
  }
  void open(const QString& id) override {
    post([=, this] { !isReliable&& m_random() % 8 == 0 ? emit openFailed(id) : FakeConversationPort::open(id); });
  }
  void saveHead(const ui::ConversationHead& head) override {
    post([=, this] { FakeConversationPort::saveHead(head); });
  }
  void saveTurn(const QString& id, const ui::Turn& turn) override {
    post([=, this] { FakeConversationPort::saveTurn(id, turn); });
  }
  void saveDraft(const QString& id, const ui::Draft& draft) override {
    post([=, this] { FakeConversationPort::saveDraft(id, draft); });
  }
  void openNewDraft() override {
    post([this] { FakeConversationPort::openNewDraft(); });
  }
  void rename(const QString& id, const QString& title) override {
    post([=, this] { FakeConversationPort::rename(id, title); });
  }
  void setPinned(const QString& id, bool isPinned) override {
    post([=, this] { FakeConversationPort::setPinned(id, isPinned); });
  }
  void chooseVersion(const QString& id, const QString& turnId) override {
    post([=, this] { FakeConversationPort::chooseVersion(id, turnId); });
  }
  void removeTurn(const QString& id, const QString& turnId, bool isAlone) override {
    post([=, this] { FakeConversationPort::removeTurn(id, turnId, isAlone); });
  }
  void remove(const QString& id) override {
    post([=, this] { FakeConversationPort::remove(id); });
  }

  bool deliver() {
    if (m_requests.empty()) return false;
    const std::function<void()> request = m_requests.front();
    m_requests.pop_front();
    request();
    return true;
  }

 private:
  void post(std::function<void()> request) { m_requests.push_back(std::move(request)); }

  std::mt19937& m_random;
  std::deque<std::function<void()>> m_requests;
};

}  // namespace headroom::test
