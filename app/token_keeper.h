// Keeps the user's token for the hub in the system's keyring, and finds those that other programs were given.
#pragma once

#include <QByteArray>
#include <functional>

#include "ui/library/token_port.h"

namespace headroom::app {

// What is asked of a keyring; each calls back once, at once or later, on this thread. Tests have one of their own.
struct Keyring {
  // hasAnswered: there is a keyring, with this token or with none (empty).
  std::function<void(std::function<void(bool hasAnswered, const QByteArray& token)>)> read;
  // An empty token is deleted.
  std::function<void(const QByteArray& token, std::function<void(bool isKept)>)> write;
};
Keyring systemKeyring();

// The user's own token before HF_TOKEN, that before the hub's file. Where no keyring answers, one that is given lives
// as long as this object. It is written to no file of ours and to no log.
class TokenKeeper : public ui::TokenPort {
  Q_OBJECT
 public:
  explicit TokenKeeper(Keyring keyring, QObject* parent = nullptr);

  void prepare() override;
  bool isReady() const override { return m_isReady; }
  QByteArray token() const override { return m_token; }
  ui::TokenSource source() const override { return m_source; }
  void setToken(const QByteArray& token) override;
  bool isStillKept() const override { return m_isStillKept; }

 private:
  void takeWritten(const QByteArray& own, bool isDone);
  void takeRead(bool hasAnswered, const QByteArray& token);
  void use(const QByteArray& token, ui::TokenSource source);
  void useOthers();

  const Keyring m_keyring;
  QByteArray m_token;
  ui::TokenSource m_source = ui::TokenSource::None;
  bool m_isAsking = false, m_isReady = false;
  bool m_isInKeyring = false;  // as it said last
  bool m_isStillKept = false;
  quint64 m_nSet = 0;  // how often one was given: what is used follows the newest alone
};

}  // namespace headroom::app
