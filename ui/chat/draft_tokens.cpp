#include "ui/chat/draft_tokens.h"

#include <algorithm>
#include <utility>

#include "ui/chat/chat_request.h"

namespace headroom::ui {

DraftTokens::DraftTokens(EnginePort& engine, QObject* parent) : QObject(parent), m_engine(engine) {
  m_pause.setSingleShot(true);
  m_pause.setInterval(kPauseMs);
  connect(&m_pause, &QTimer::timeout, this, &DraftTokens::ask);
  connect(&engine, &EnginePort::tokensCounted, this, [this](quint64 id, const TokenCounts& counts) {
    if (id != 0 && id == m_asked) return take(counts);
    if (m_sentFiles.remove(id) && counts.texts.size() == 1) emit fileCounted(id, counts.texts.front());
  });
}

void DraftTokens::watch(ChatSession& session) {
  if (m_session != nullptr) {
    disconnect(m_session, nullptr, this, nullptr);
    disconnect(&m_session->draft(), nullptr, this, nullptr);
  }
  m_session = &session;
  connect(&session.draft(), &ChatDraft::changed, this, &DraftTokens::askSoon);
  connect(&session, &ChatSession::pathChanged, this, &DraftTokens::askSoon);
  connect(&session, &ChatSession::headChanged, this, &DraftTokens::askSoon);
  connect(&session, &ChatSession::activityChanged, this, &DraftTokens::askSoon);
  m_asked = 0;
  show({});
  ask();
}

void DraftTokens::recount() {
  m_asked = 0;
  m_counted.clear();
  m_sentFiles.clear();
  show({});
  ask();
}

// What is shown stands until the new figures are there: only what was certainly overtaken goes at once.
void DraftTokens::askSoon() {
  if (m_session == nullptr) return;
  m_isOld = true;
  forgetOthers();
  const bool isEmpty = m_session->draft().message().isEmpty();
  show(isEmpty ? DraftFigures() : withFiles(m_figures));
  if (isEmpty) {
    m_pause.stop();
    m_asked = 0;
  } else if (!m_pause.isActive()) {
    m_pause.start();
  }
}

void DraftTokens::ask() {
  if (m_session == nullptr || m_asked != 0) return;  // the answer asks again
  m_isOld = false;
  forgetOthers();
  const DraftMessage& message = m_session->draft().message();
  CountRequest request;
  m_askedFiles.clear();
  for (const DraftFile& file : message.files) {
    if (file.readId != 0 || m_counted.contains(keyOf(file))) continue;
    m_askedFiles.push_back(file.attachment);
    request.texts.push_back(fileText(file.attachment).toStdString());
  }
  // What an answer adds is not known before its end.
  if (!m_session->isBusy()) request.prompt = m_session->draftRequest();
  m_askedPrompt = !request.prompt.messages.empty();
  m_askedOlder = m_session->draft().editedTurn().isEmpty() && !m_session->tree().isEmpty();
  if (!m_askedPrompt && request.texts.empty()) return show(withFiles({}));
  m_asked = m_engine.count(request);
}

void DraftTokens::take(const TokenCounts& counts) {
  m_asked = 0;
  for (std::size_t i = 0; i < std::min(m_askedFiles.size(), counts.texts.size()); ++i)
    m_counted.insert(m_askedFiles[i].text.constData(), {m_askedFiles[i], counts.texts[i]});
  m_askedFiles.clear();
  DraftFigures figures;
  if (m_askedPrompt) {
    figures.promptTokens = counts.promptTokens;
    figures.contextLength = counts.contextLength;
    figures.isAtLeast = counts.isAtLeast;
    figures.hasOlderTurns = m_askedOlder;
  }
  show(withFiles(figures));
  if (m_isOld && !m_pause.isActive()) m_pause.start();
}

quint64 DraftTokens::countFile(const Attachment& attachment) {
  CountRequest request;
  request.texts.push_back(fileText(attachment).toStdString());
  const quint64 id = m_engine.count(request);
  if (id != 0) m_sentFiles.insert(id);
  return id;
}

void DraftTokens::forgetOthers() {
  const QVector<DraftFile>& files = m_session->draft().message().files;
  erase_if(m_counted, [&](const auto& counted) {
    return std::none_of(files.begin(), files.end(),
                        [&](const DraftFile& file) { return keyOf(file) == counted.key(); });
  });
}

DraftFigures DraftTokens::withFiles(DraftFigures figures) const {
  figures.files.clear();
  for (const DraftFile& file : m_session->draft().message().files)
    figures.files.push_back(file.readId == 0 ? m_counted.value(keyOf(file)).tokens : 0);
  return figures;
}

void DraftTokens::show(DraftFigures figures) {
  if (figures == m_figures) return;
  m_figures = std::move(figures);
  emit changed();
}

}  // namespace headroom::ui
