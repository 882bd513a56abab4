// One window per data folder: a second start hands its files to the first one and ends.
#pragma once

#include <QByteArray>
#include <QLocalServer>
#include <QObject>
#include <QStringList>
#include <chrono>
#include <memory>

#include "base/result.h"

class QLocalSocket;

namespace headroom::app {

// What a second start says to the first: absolute paths to open, none to only come to the front.
struct HandOver {
  QStringList paths;
  QByteArray activationToken;  // of the desktop, which lets a window of another program come to the front
};

// Holds a lock on the data folder, which the system lets go of however this process ends, and listens on a local socket
// that only the same user may speak to.
class SingleInstance : public QObject {
  Q_OBJECT
 public:
  struct Options {
    // How long a running instance that does not answer is waited for; a lock that becomes free in that time is taken.
    std::chrono::milliseconds patience{10'000};
    quint64 trustedUser;  // a process of another user is neither told nor listened to
    Options();            // this process's user
  };

  // An instance: this process is the first for `dataFolder`, which is made when absent. None: another one took the
  // paths over. An error: another one holds the folder and does not answer. Where the folder can hold no lock (it
  // cannot be written) this process goes on unguarded. Waits for at most the patience.
  static Result<std::unique_ptr<SingleInstance>> claim(const QString& dataFolder, const HandOver& handOver,
                                                       const Options& options = {});
  ~SingleInstance() override;

  void stopListening();  // from now on starts wait for the lock; for a program that is about to end

 signals:
  void handedOver(const headroom::app::HandOver& handOver);

 private:
  SingleInstance(int lock, const Options& options);
  void listen(const QString& dataFolder);
  void greet(QLocalSocket* socket);

  int m_lock;  // a file descriptor; -1: unguarded
  Options m_options;
  QLocalServer m_server;
  int m_talking = 0;  // connections that have not said all yet
};

// The message on the socket; a decoder bounds every size before use. Public for tests.
QByteArray encodeHandOver(const HandOver& handOver);
enum class Decoded { Whole, NeedsMore, Bad };
Decoded decodeHandOver(const QByteArray& message, HandOver* handOver);

}  // namespace headroom::app
