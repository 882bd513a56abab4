#include "app/single_instance.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLocalSocket>
#include <QStandardPaths>
#include <QThread>
#include <QTimer>
#include <QtEndian>
#include <optional>

#include "app/native_path.h"

#ifdef Q_OS_UNIX
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

namespace headroom::app {

namespace {

// A message: kMagic, a count, and for each of the token and the paths a length and its bytes. Numbers are 32 bits,
// little end first.
const QByteArray kMagic = QByteArrayLiteral("HEADROOM-OPEN-1\n");
const QByteArray kTaken = QByteArrayLiteral("taken\n");
constexpr quint32 kMostTexts = 65, kMostTextBytes = 32'768;
constexpr qsizetype kMostBytes = 1 << 20;
constexpr int kMostTalking = 16, kTalkMs = 2000, kPauseMs = 50;

void appendNumber(QByteArray& to, quint32 number) {
  number = qToLittleEndian(number);
  to.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

std::optional<quint32> numberAt(const QByteArray& message, qsizetype at) {
  if (message.size() - at < 4) return std::nullopt;
  return qFromLittleEndian<quint32>(message.constData() + at);
}

#ifdef Q_OS_UNIX
// The lock of the kernel on an open file: gone with the process, however that ends. -1: another process has it.
struct Lock {
  int file = -1;
  bool isImpossible = false;  // the folder can hold none
};

Lock tryLock(const QByteArray& path) {
  int file = ::open(path.constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) file = ::open(path.constData(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {-1, true};
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) return {file, false};
  const bool isHeld = errno == EWOULDBLOCK || errno == EINTR;
  ::close(file);
  return {-1, !isHeld};
}

void writeNote(int lock, const QByteArray& note) {
  // Only words for other starts: without room for them the lock holds all the same.
  if (::ftruncate(lock, 0) != 0 || ::pwrite(lock, note.constData(), static_cast<std::size_t>(note.size()), 0) < 0)
    return;
}

std::optional<quint64> userOf(const QLocalSocket& socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(static_cast<int>(socket.socketDescriptor()), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return std::nullopt;
  return peer.uid;
}
#endif

// What the first instance wrote into the lock file: its process and where it listens.
struct Note {
  QString process, socket;
};
Note readNote(const QString& lockPath) {
  QFile file(lockPath);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QByteArray text = file.read(8192);
  const qsizetype end = text.indexOf('\n');
  if (end < 0 || !text.endsWith('\0')) return {};  // not written to its end
  return {QString::fromLatin1(text.first(end)), QFile::decodeName(text.sliced(end + 1).chopped(1))};
}

enum class Told { Taken, NoAnswer, AnotherUser };

// Everything that goes wrong is NoAnswer: a program that ends is as good as one that never was there.
Told tell(const QString& socketPath, const QByteArray& message, quint64 trustedUser, const QDeadlineTimer& deadline) {
  const auto left = [&] { return static_cast<int>(deadline.remainingTime()); };
  QLocalSocket socket;
  socket.connectToServer(socketPath);
  if (!socket.waitForConnected(left())) return Told::NoAnswer;
  if (userOf(socket) != trustedUser) return Told::AnotherUser;
  socket.write(message);
  while (socket.bytesToWrite() > 0) {
    if (!socket.waitForBytesWritten(left())) return Told::NoAnswer;
  }
  while (socket.bytesAvailable() < kTaken.size()) {
    if (!socket.waitForReadyRead(left())) return Told::NoAnswer;
  }
  return socket.read(kTaken.size()) == kTaken ? Told::Taken : Told::NoAnswer;
}

Error heldByAnother(const QString& dataFolder, const Note& note, bool isAnotherUser) {
  const Message process =
      note.process.isEmpty() ? Message::say("another process") : Message::say("process {}", note.process.toStdString());
  const std::string folder = dataFolder.toStdString();
  if (isAnotherUser) {
    return {ErrorCode::kResource,
            Message::say("Headroom runs with the folder {} already, and what answers for it ({}) belongs to another "
                         "user, who is not trusted. End it, or set HEADROOM_DATA_DIR to a folder of your own.",
                         folder, process)};
  }
  return {
      ErrorCode::kResource,
      Message::say("Headroom runs with the folder {} already ({}) and does not answer. Close its window or end that "
                   "process, then start again.",
                   folder, process)};
}

}  // namespace

QByteArray encodeHandOver(const HandOver& handOver) {
  QByteArray message = kMagic;
  appendNumber(message, static_cast<quint32>(handOver.paths.size()) + 1);
  const auto append = [&](const QByteArray& text) {
    appendNumber(message, static_cast<quint32>(text.size()));
    message.append(text);
  };
  append(handOver.activationToken);
  for (const QString& path : handOver.paths) append(bytesOfPath(path));
  return message;
}

Decoded decodeHandOver(const QByteArray& message, HandOver* handOver) {
  const qsizetype known = std::min(message.size(), kMagic.size());
  if (message.first(known) != kMagic.first(known) || message.size() > kMostBytes) return Decoded::Bad;
  qsizetype at = kMagic.size();
  const std::optional<quint32> count = numberAt(message, at);
  if (!count) return Decoded::NeedsMore;
  if (*count == 0 || *count > kMostTexts) return Decoded::Bad;
  at += 4;
  HandOver read;
  for (quint32 i = 0; i < *count; ++i) {
    const std::optional<quint32> length = numberAt(message, at);
    if (!length) return Decoded::NeedsMore;
    if (*length > kMostTextBytes) return Decoded::Bad;
    at += 4;
    if (message.size() - at < static_cast<qsizetype>(*length)) return Decoded::NeedsMore;
    const QByteArray text = message.mid(at, static_cast<qsizetype>(*length));
    at += text.size();
    if (i == 0) {
      read.activationToken = text;
      continue;
    }
    // Relative to which folder? The other process's; and no name holds a zero.
    if (text.isEmpty() || text.contains('\0') || !toNativePath(pathFromBytes(text)).is_absolute()) return Decoded::Bad;
    read.paths.append(pathFromBytes(text));
  }
  if (at != message.size()) return Decoded::Bad;
  *handOver = std::move(read);
  return Decoded::Whole;
}

SingleInstance::Options::Options() : trustedUser(::geteuid()) {}

Result<std::unique_ptr<SingleInstance>> SingleInstance::claim(const QString& dataFolder, const HandOver& handOver,
                                                              const Options& options) {
  QDir().mkpath(dataFolder);
  const QByteArray message = encodeHandOver(handOver);
  HandOver readBack;
  if (decodeHandOver(message, &readBack) != Decoded::Whole) {
    return Error{ErrorCode::kUsage,
                 Message::say("{} files at most, with paths of up to {} bytes, can be opened at once.", kMostTexts - 1,
                              kMostTextBytes)};
  }
  const QString lockPath = QDir(dataFolder).filePath(QStringLiteral("headroom.lock"));
  const QDeadlineTimer deadline(options.patience);
  bool isAnotherUser = false;
  while (true) {
    const Lock lock = tryLock(QFile::encodeName(lockPath));
    if (lock.file >= 0 || lock.isImpossible) {
      std::unique_ptr<SingleInstance> first(new SingleInstance(lock.file, options));
      if (lock.file >= 0) first->listen(dataFolder);
      return first;
    }
    // Between its lock and its socket, and between its last words and its end, the other one cannot be told anything:
    // then a pause, and all over again.
    const Note note = readNote(lockPath);
    const Told told =
        note.socket.isEmpty() ? Told::NoAnswer : tell(note.socket, message, options.trustedUser, deadline);
    if (told == Told::Taken) return std::unique_ptr<SingleInstance>();
    isAnotherUser = told == Told::AnotherUser;
    if (deadline.hasExpired() || isAnotherUser) return heldByAnother(dataFolder, note, isAnotherUser);
    QThread::msleep(kPauseMs);
  }
}

SingleInstance::SingleInstance(int lock, const Options& options) : m_lock(lock), m_options(options) {
  connect(&m_server, &QLocalServer::newConnection, this, [this] {
    while (QLocalSocket* socket = m_server.nextPendingConnection()) greet(socket);
  });
}

SingleInstance::~SingleInstance() {
  stopListening();
  if (m_lock < 0) return;
  writeNote(m_lock, {});
  ::close(m_lock);
}

void SingleInstance::stopListening() {
  m_server.close();
  // What has not been answered is not taken: who asked tries again.
  for (QLocalSocket* socket : m_server.findChildren<QLocalSocket*>()) socket->abort();
}

// The lock makes this process the only one that may replace a socket that a killed one left.
void SingleInstance::listen(const QString& dataFolder) {
  const QByteArray name =
      QCryptographicHash::hash(QFile::encodeName(QFileInfo(dataFolder).canonicalFilePath()), QCryptographicHash::Sha256)
          .toHex()
          .first(16);
  const QString file = QStringLiteral("headroom-%1.socket").arg(QLatin1StringView(name));
  m_server.setSocketOptions(QLocalServer::UserAccessOption);
  // The data folder may be on a file system without sockets, or too deep for the name of one.
  for (const QString& folder : {QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation), dataFolder}) {
    if (folder.isEmpty()) continue;
    const QString path = QDir(folder).absoluteFilePath(file);
    QLocalServer::removeServer(path);
    if (m_server.listen(path)) break;
  }
  const QByteArray process = QByteArray::number(QCoreApplication::applicationPid());
  const QByteArray where = m_server.isListening() ? QFile::encodeName(m_server.fullServerName()) : QByteArray();
  writeNote(m_lock, process + '\n' + where + '\0');
}

void SingleInstance::greet(QLocalSocket* socket) {
  connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
  if (m_talking >= kMostTalking || userOf(*socket) != m_options.trustedUser) return socket->abort();
  ++m_talking;
  connect(socket, &QObject::destroyed, this, [this] { --m_talking; });
  QTimer::singleShot(kTalkMs, socket, [socket] { socket->abort(); });
  const auto read = [this, socket, said = QByteArray()]() mutable {
    said += socket->read(kMostBytes + 1 - said.size());
    HandOver handOver;
    const Decoded decoded = decodeHandOver(said, &handOver);
    if (decoded == Decoded::NeedsMore) return;
    if (decoded == Decoded::Bad) return socket->abort();
    disconnect(socket, &QLocalSocket::readyRead, this, nullptr);  // nothing more is listened to
    socket->write(kTaken);
    socket->flush();
    socket->disconnectFromServer();
    emit handedOver(handOver);
  };
  connect(socket, &QLocalSocket::readyRead, this, read);
  if (socket->bytesAvailable() > 0) emit socket->readyRead();
}

}  // namespace headroom::app
