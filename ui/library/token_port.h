// The user's token for the hub, as the window knows it. Who keeps it is app/token_keeper.
#pragma once

#include <QByteArray>
#include <QObject>

namespace headroom::ui {

enum class TokenSource {
  None,
  Keyring,      // given here, kept by the system
  ThisRun,      // given here, and the system has nobody to keep it
  Environment,  // HF_TOKEN
  HubFile,      // ~/.cache/huggingface/token, which the hub's own program writes
};

// It goes into a line of a request: nothing else may stand in it.
inline constexpr qsizetype kMostTokenBytes = 1000;
bool isUsableToken(const QByteArray& token);

// GUI thread. The token itself goes into requests and nowhere else.
class TokenPort : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  // Looks for a token, once; tells `ready`, also at once. A keyring may ask the user to open it: not before there is a
  // use for it.
  virtual void prepare() = 0;
  virtual bool isReady() const = 0;
  virtual QByteArray token() const = 0;  // empty: none, or not ready
  virtual TokenSource source() const = 0;
  virtual void setToken(const QByteArray& token) = 0;  // empty: forgets ours
  // Ours was to be forgotten, and the keyring has not deleted it: the next start would find it again.
  virtual bool isStillKept() const = 0;

 signals:
  void ready();
  void changed();
};

}  // namespace headroom::ui
