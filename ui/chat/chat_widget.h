// The chat pane: conversations on the left, the open one in the middle, its settings on the right. Where the pane is
// too narrow for a side beside the middle, its toggle shows it in the place of the middle until something is chosen
// there or Esc is pressed.
#pragma once

#include <QWidget>
#include <memory>

#include "ui/chat/attachment_reader.h"
#include "ui/chat/chat_sessions.h"
#include "ui/chat/chat_sides.h"
#include "ui/format/sentence.h"
#include "ui/theme/theme.h"

class QLabel;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QToolButton;

namespace headroom::ui {

class AttachmentViewer;
class ChatView;
class Composer;
class ContextGauge;
class ConversationFiles;
class DraftTokens;
class ElidedLabel;
class FindBar;
class MessageBar;
class ConversationList;
class SamplerPanel;
class Welcome;

class ChatWidget : public QWidget {
  Q_OBJECT
 public:
  // All of them outlive the widget, which shows the current session.
  ChatWidget(ChatSessions& sessions, ConversationPort& store, const Theme& theme, QWidget* parent = nullptr);
  ~ChatWidget() override;

  // What an empty conversation says about the loaded model, and questions that it can answer. Kept until called again.
  void setModelNote(const QString& note, const QStringList& questions);
  // The model whose plan the calculator shows (empty: none), for an empty conversation while nothing is loaded.
  void setOpenModel(const QString& name, bool isLoading);
  void setRead(AttachmentReader::Read read);  // what reads files to attach; without it PDFs are refused
  // What the user sees and does here beside what the sessions know: for a widget of the same sessions that takes this
  // one's place. This one is of no use any more.
  struct Kept;
  std::shared_ptr<Kept> release();
  void takeOver(Kept& kept);  // once
  QSize minimumSizeHint() const override;
  QSize sizeHint() const override;
  ChatSession& session() const { return m_sessions.current(); }

 signals:
  void largerContextWanted(quint32 nCtx);                     // the calculator plans it
  void loadAgainWanted();                                     // the loaded model, whose device was lost
  void loadWithoutWanted(const QString& deviceId);            // the loaded model, of which this device failed
  void modelDropped(const QString& path);                     // a .gguf file or a folder: the window opens it
  void problemFound(const headroom::ui::Sentence& sentence);  // something that the pane cannot show in place

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  using Side = ChatSides::Side;
  QWidget* makeHeader();
  QWidget* makeMiddle();
  void makePanel();
  void connectSides();
  void connectSessions();
  void connectTrouble();
  void showTrouble();
  void connectComposer();
  void showSession();
  void connectView();
  void connectList();
  QString statusText() const;
  void showTree();
  void showActivity();
  void showWelcome();
  void showHead();
  void showPath();
  void showSearched();
  void showPlace();  // welcome, or the turns
  void startEditing(const QString& turnId);
  void askToRemove(const QString& turnId);
  void showEditPlace();
  const ChatSettings& settings() const { return m_sessions.settings().chat(); }
  void editLast();
  void connectTokens();
  void chooseAttachment();
  void openAttachment(const Attachment& attachment, quint32 tokens);
  void countTokens(AttachmentViewer& viewer);
  void connectFiles();
  void attachPath(const QString& path);
  void chooseImport();
  void exportConversation(const QString& id, const QString& title, bool asJson);
  void placeJumpButton();

  ChatSessions& m_sessions;
  ConversationPort& m_store;
  const Theme& m_theme;
  std::unique_ptr<QObject> m_connections;  // of the session that is shown
  std::unique_ptr<ConversationFiles> m_files;
  ConversationList* m_list;
  ElidedLabel* m_title;
  QLabel* m_status;
  QToolButton *m_listToggle, *m_panelToggle;
  QWidget* m_header;
  ChatSides* m_sides;
  QStackedWidget* m_stack;  // welcome, or the view
  Welcome* m_welcome;
  ChatView* m_view;
  QPushButton* m_jump;
  MessageBar* m_trouble;
  FindBar* m_find;
  Composer* m_composer;
  ContextGauge* m_gauge;
  DraftTokens* m_tokens;
  QScrollArea* m_panelArea;
  SamplerPanel* m_panel;
  struct {
    QString id, text;
  } m_searched;  // a conversation that is being opened, and what the list found it by
  QString m_note, m_openModel;
  bool m_isLoading = false;
  QStringList m_questions;
  // Ids of the composer: of the file that was attached last, and of what was dropped when the newest model came. What
  // turns out to be a folder only then was dropped before that model, and is not opened in its place.
  quint64 m_newestAttached = 0, m_newestModelDrop = 0;
};

}  // namespace headroom::ui
