// The life of a conversation as values: what it waits for, and a pure function from an event to the next stage
// and what is to be done. No Qt object, no engine, no store: tested for every event in every stage.
#pragma once

#include <QString>
#include <optional>
#include <variant>
#include <vector>

#include "ui/chat/conversation.h"
#include "ui/engine_port.h"
#include "ui/format/sentence.h"

namespace headroom::ui {

// Something the user should decide on; None once it is settled.
struct Trouble {
  enum class Kind : quint8 { None, ContextFull, PromptTooLong, AloneTooLong, Template, Failed, DeviceLost };
  Kind kind = Kind::None;
  Sentence sentence = {};
  quint32 neededTokens = 0;  // a context that would do
  QString resumeId = {};     // the turn to go on from once there is room; empty: none
  QString deviceId = {};     // of the GPU that failed; empty: none did
};

namespace chat_stage {
struct Resting {};
struct Answering {
  quint64 request = 0;
  QString turnId, questionId;                 // the answer that is written, and the turn that it answers
  bool isNewTurn = true;                      // made for this request: it goes away again when nothing comes
  qsizetype sentChars = 0, writtenChars = 0;  // thinking is written too
  bool isWriting = false, isStopping = false;
  int readPercent = 0;
  bool hasStarted = false;  // it has a slot of the engine; until then it waits for one
};
struct Summarising {  // of the turns before a cut that is made when the summary is there
  quint64 request = 0;
  QString cutId;
  Trouble trouble;  // what it shall settle, and what is shown again when it is stopped
  qsizetype sentChars = 0;
  QString text;
  bool isStopping = false;
  bool hasStarted = false;  // likewise
};
}  // namespace chat_stage
using ChatStage = std::variant<chat_stage::Resting, chat_stage::Answering, chat_stage::Summarising>;

// The request that it waits for; 0: none.
quint64 requestOf(const ChatStage& stage);

namespace chat_event {
struct AnswerStarted {  // by the user: the engine was just asked, with this id
  quint64 request = 0;
  QString turnId, questionId;
  bool isNewTurn = true;
  qsizetype sentChars = 0;
};
struct SummaryStarted {  // likewise
  quint64 request = 0;
  QString cutId;
  Trouble trouble;
  qsizetype sentChars = 0;
};
struct StopAsked {};
struct Deleted {};  // the conversation
struct Ended {};    // the program
struct ReadingProgressed {
  quint64 request = 0;
  int percent = 0;
};
struct TextArrived {
  quint64 request = 0;
  QString text;
  TextKind kind = TextKind::kAnswer;
  quint32 contextUsed = 0;  // with this text; 0: nobody counted
};
struct Finished {
  quint64 request = 0;
  ChatEnd end = ChatEnd::EndOfTurn;
  ChatFigures figures;
};
struct TooLong {
  quint64 request = 0;
  quint32 promptTokens = 0, contextLength = 0;
  bool isAtLeast = false;  // so many tokens or more
};
struct Failed {
  quint64 request = 0;
  Error error;
};
struct ModelChanged {  // by this request another model, or none, is there now; older answers have ended
  quint64 request = 0;
};
}  // namespace chat_event
using ChatEvent =
    std::variant<chat_event::AnswerStarted, chat_event::SummaryStarted, chat_event::StopAsked, chat_event::Deleted,
                 chat_event::Ended, chat_event::ReadingProgressed, chat_event::TextArrived, chat_event::Finished,
                 chat_event::TooLong, chat_event::Failed, chat_event::ModelChanged>;

namespace chat_effect {
struct StopRequest {  // ask the engine to end it
  quint64 request = 0;
};
struct AppendText {
  QString turnId, text;
  TextKind kind = TextKind::kAnswer;
  quint32 contextUsed = 0;
};
struct FinishTurn {
  QString turnId;
  TurnState state = TurnState::Done;
  qsizetype writtenChars = 0;          // of the text that this request added
  std::optional<ChatFigures> figures;  // of an answer that came to its end
};
struct DropTurn {  // nothing came: the answer goes away and its question can be sent again
  QString turnId;
};
struct Count {  // so many tokens were so many characters
  quint32 tokens = 0;
  qsizetype chars = 0;
  bool isAtLeast = false;
};
struct CutAndResume {
  QString cutId, summary, resumeId;
};
struct TellTrouble {
  Trouble trouble;  // as it was before
};
struct TellFull {  // the context, before the answer ended
  quint32 contextLength = 0;
  QString resumeId;
};
struct TellTooLong {
  quint32 promptTokens = 0, contextLength = 0;
  bool wasSummary = false;
  QString resumeId;
  bool isAtLeast = false;
};
struct TellFailed {
  Error error;
  bool wasSummary = false;
  QString resumeId;  // the turn to go on from, where a shorter conversation helps
  qsizetype sentChars = 0;
};
}  // namespace chat_effect
using ChatEffect =
    std::variant<chat_effect::StopRequest, chat_effect::AppendText, chat_effect::FinishTurn, chat_effect::DropTurn,
                 chat_effect::Count, chat_effect::CutAndResume, chat_effect::TellTrouble, chat_effect::TellFull,
                 chat_effect::TellTooLong, chat_effect::TellFailed>;

// Changes `stage` by one event; returns what is to be done, in order.
std::vector<ChatEffect> react(ChatStage& stage, const ChatEvent& event);

}  // namespace headroom::ui
