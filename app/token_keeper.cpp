#include "app/token_keeper.h"

#include <qt6keychain/keychain.h>

#include <QDir>
#include <QFile>
#include <QPointer>
#include <QTimer>
#include <utility>

#include "ui/library/model_folders.h"

namespace headroom::app {

namespace {

constexpr int kKeyringLimitMs = 60'000;  // the user may have to open it
const QString kService = QStringLiteral("headroom"), kKey = QStringLiteral("hugging-face-token");

QByteArray usable(const QByteArray& token) {
  return ui::isUsableToken(token.trimmed()) ? token.trimmed() : QByteArray();
}

QByteArray tokenOfHubFile() {
  QFile file(QDir(ui::huggingFaceHome(ui::libraryPlaces({}))).filePath(QStringLiteral("token")));
  return file.open(QIODevice::ReadOnly) ? usable(file.read(ui::kMostTokenBytes + 1)) : QByteArray();
}

}  // namespace

Keyring systemKeyring() {
  Keyring keyring;
  keyring.read = [](const std::function<void(bool, const QByteArray&)>& then) {
    auto* job = new QKeychain::ReadPasswordJob(kService);
    job->setKey(kKey);
    QObject::connect(job, &QKeychain::Job::finished, job, [then](QKeychain::Job* ended) {
      const auto* read = static_cast<QKeychain::ReadPasswordJob*>(ended);
      const bool hasAnswered = read->error() == QKeychain::NoError || read->error() == QKeychain::EntryNotFound;
      then(hasAnswered, hasAnswered ? read->binaryData() : QByteArray());
    });
    job->start();
  };
  keyring.write = [](const QByteArray& token, const std::function<void(bool)>& then) {
    const auto tell = [then](QKeychain::Job* ended) {
      then(ended->error() == QKeychain::NoError || ended->error() == QKeychain::EntryNotFound);
    };
    if (token.isEmpty()) {
      auto* job = new QKeychain::DeletePasswordJob(kService);
      job->setKey(kKey);
      QObject::connect(job, &QKeychain::Job::finished, job, tell);
      return job->start();
    }
    auto* job = new QKeychain::WritePasswordJob(kService);
    job->setKey(kKey);
    job->setBinaryData(token);
    QObject::connect(job, &QKeychain::Job::finished, job, tell);
    job->start();
  };
  return keyring;
}

TokenKeeper::TokenKeeper(Keyring keyring, QObject* parent) : TokenPort(parent), m_keyring(std::move(keyring)) {}

void TokenKeeper::prepare() {
  if (m_isReady) {
    emit ready();
    return;
  }
  if (std::exchange(m_isAsking, true)) return;
  // A keyring that never answers is none.
  QTimer::singleShot(kKeyringLimitMs, this, [this] { takeRead(false, {}); });
  m_keyring.read([self = QPointer(this)](bool hasAnswered, const QByteArray& token) {
    if (self != nullptr) self->takeRead(hasAnswered, token);
  });
}

void TokenKeeper::takeRead(bool hasAnswered, const QByteArray& token) {
  if (hasAnswered && !token.isEmpty()) m_isInKeyring = true;
  if (m_isReady) return;
  m_isReady = true;
  if (const QByteArray own = usable(token); hasAnswered && !own.isEmpty()) {
    use(own, ui::TokenSource::Keyring);
  } else {
    useOthers();
  }
  emit ready();
}

void TokenKeeper::useOthers() {
  if (const QByteArray token = usable(qgetenv("HF_TOKEN")); !token.isEmpty())
    return use(token, ui::TokenSource::Environment);
  const QByteArray token = tokenOfHubFile();
  use(token, token.isEmpty() ? ui::TokenSource::None : ui::TokenSource::HubFile);
}

void TokenKeeper::use(const QByteArray& token, ui::TokenSource source) {
  m_token = token;
  m_source = source;
  emit changed();
}

void TokenKeeper::setToken(const QByteArray& token) {
  const QByteArray own = usable(token);
  const bool wasReady = std::exchange(m_isReady, true);
  m_isStillKept = false;
  if (own.isEmpty()) {
    useOthers();
  } else {
    use(own, ui::TokenSource::ThisRun);  // until the keyring says that it has it
  }
  m_keyring.write(own, [self = QPointer(this), own, nSet = ++m_nSet](bool isKept) {
    if (self == nullptr) return;
    if (isKept) self->m_isInKeyring = !own.isEmpty();  // also of one that another has followed since
    if (self->m_nSet == nSet) self->takeWritten(own, isKept);
  });
  if (!wasReady) emit ready();
}

// Where no keyring answers, none has kept a token either: only of one that had it there is something to say.
void TokenKeeper::takeWritten(const QByteArray& own, bool isDone) {
  if (!own.isEmpty()) {
    if (isDone && m_source == ui::TokenSource::ThisRun) use(m_token, ui::TokenSource::Keyring);
  } else if (!isDone && m_isInKeyring) {
    m_isStillKept = true;
    emit changed();
  }
}

}  // namespace headroom::app
