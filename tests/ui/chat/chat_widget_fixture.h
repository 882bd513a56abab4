// The chat pane on the screen, whose engine and store are stand-ins, with a model of 4,096 positions loaded.
#pragma once

#include <gtest/gtest.h>

#include <QDir>
#include <QDropEvent>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QTest>
#include <QToolButton>
#include <functional>
#include <memory>

#include "support/fake_conversation_port.h"
#include "support/fake_engine_port.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/chat_widget.h"

namespace headroom::ui {

class ChatWidgetTest : public testing::Test {
 protected:
  // The program starts; where it runs, it ends before.
  void SetUp() override {
    m_widget.reset();
    m_sessions = std::make_unique<ChatSessions>(m_engine, m_store, m_settings);
    m_widget = std::make_unique<ChatWidget>(*m_sessions, m_store, m_theme);
    m_widget->resize(900, 820);
    m_widget->show();
    m_engine.sendLoaded("Headroom starter", 4096);
    m_widget->setModelNote(
        "A guide to memory and this app, not a general assistant.",
        {"What is the KV cache?", "Why does a longer context need more memory?", "What does headroom mean here?"});
  }
  // Of the rows that are there now: those that went are deleted a little later.
  QToolButton* rowButton(const char* name) const {
    QToolButton* shown = nullptr;
    for (QToolButton* each : m_widget->findChildren<QToolButton*>(QLatin1StringView(name))) {
      if (each->parentWidget()->isVisible()) shown = each;
    }
    return shown;
  }
  // Once all rows that are seen are there: it is the last one of that name.
  bool waitForRowButton(const char* name) const {
    const auto* view = m_widget->findChild<ChatView*>();
    return QTest::qWaitFor([&] { return view->isLaidOut() && rowButton(name) != nullptr; }, 60'000);
  }
  template <class T>
  T* find(const char* name) {
    T* found = m_widget->findChild<T*>(QLatin1StringView(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  void settle() {
    for (int i = 0; i < 30; ++i) QCoreApplication::processEvents();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
  bool waitFor(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, 60'000); }
  // Some chip of the composer stands for a file that is not yet there.
  bool isReading() const {
    for (const QToolButton* chip : m_widget->findChildren<QToolButton*>("attachmentChip")) {
      if (chip->text().startsWith("Reading")) return true;
    }
    return false;
  }
  void drop(const QList<QUrl>& urls) {
    QMimeData mime;
    mime.setUrls(urls);
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(m_widget.get(), &enter);
    QDropEvent event({10, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(m_widget.get(), &event);
  }
  void type(const QString& text, Qt::Key end = Qt::Key_Return) {
    auto* edit = find<QPlainTextEdit>("messageEdit");
    edit->setFocus();
    QTest::keyClicks(edit, text);
    QTest::keyClick(edit, end);
  }
  void answer(const char* text = "Fine.") {
    ChatFigures figures;
    figures.promptTokens = 900;
    figures.reusedTokens = 850;
    figures.generatedTokens = 212;
    figures.contextUsed = 1516;
    figures.contextLength = 4096;
    figures.decodeSeconds = 5.03;
    m_engine.sendAnswer(QString::fromUtf8(text), ChatEnd::EndOfTurn, figures);
    settle();
  }
  // Beside the other build outputs, for people to look at.
  void grab(const QString& name) {
    settle();
    const QString folder = qEnvironmentVariable("HEADROOM_SCREENSHOTS", QDir::current().filePath("screenshots"));
    ASSERT_TRUE(QDir().mkpath(folder));
    EXPECT_TRUE(m_widget->grab().save(QDir(folder).filePath(name + ".png")));
  }

  Theme m_theme{ThemeChoice::Light};
  SettingsModel m_settings;  // as kept from start to start
  test::FakeEnginePort m_engine;
  test::FakeConversationPort m_store;
  std::unique_ptr<ChatSessions> m_sessions;
  std::unique_ptr<ChatWidget> m_widget;
};

}  // namespace headroom::ui
