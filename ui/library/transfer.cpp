#include "ui/library/transfer.h"

#include <QDir>
#include <QFileInfo>
#include <utility>

#include "ui/background/write_file.h"
#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"
#include "ui/library/model_name.h"

namespace headroom::ui {

namespace {

constexpr int kTellEachMs = 100;
constexpr int kAskSpaceEachMs = 1000;
constexpr int kDefaultWaitMs = 30'000;  // where a server that asks to wait does not say how long
constexpr int kMostNewStarts = 3;       // of a file that changes on its server, in one run

// A hub gives a large file's SHA-256 as its ETag, in quotes.
QByteArray sha256Of(const QByteArray& etag) {
  QString text = QString::fromLatin1(etag).toLower();
  if (text.size() > 1 && text.startsWith(QLatin1Char('"')) && text.endsWith(QLatin1Char('"')))
    text = text.mid(1, text.size() - 2);
  return isSha256(text) ? text.toLatin1() : QByteArray();
}

}  // namespace

Transfer::Transfer(DownloadSpec spec, DiskPorts disk, HttpLimits limits)
    : m_spec(std::move(spec)), m_disk(std::move(disk)), m_limits(limits), m_tellLater(this) {
  m_tellLater.setSingleShot(true);
  m_tellLater.setInterval(kTellEachMs);
  connect(&m_tellLater, &QTimer::timeout, this, [this] { tellProgress(true); });
  for (std::size_t i = 0; i < m_spec.parts.size(); ++i)
    m_files.push_back(std::make_unique<PartFile>(pathOf(i), m_disk));
}

Transfer::~Transfer() = default;

QString Transfer::pathOf(std::size_t part) const { return QDir(m_spec.folder).filePath(m_spec.parts[part].file); }

void Transfer::start(quint64 run, const HubAccess& access) {
  m_wanted = run;
  QMetaObject::invokeMethod(
      this, [this, run, access] { begin(run, access); }, Qt::QueuedConnection);
}

void Transfer::stop() {
  m_wanted = 0;
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (m_get != nullptr && isStopped()) tell(TransferEnd::Kind::Stopped);
      },
      Qt::QueuedConnection);
}

void Transfer::begin(quint64 run, const HubAccess& access) {
  if (m_wanted != run) return;
  m_run = run;
  m_access = access;
  m_nStartedAnew = 0;
  m_sinceTold.invalidate();
  if (m_network == nullptr) m_network = new QNetworkAccessManager(this);
  if (!prepare()) return;
  emit spaceFound(m_run);
  next();
}

// Whether something would show that the server has another file now. Weak tags name no bytes.
bool Transfer::canTellApart(const DownloadPart& part) {
  return !part.sha256.isEmpty() || !part.linkedEtag.isEmpty() || (!part.etag.isEmpty() && !part.etag.startsWith("W/"));
}

bool Transfer::prepare() {
  if (!QDir().mkpath(m_spec.folder)) {
    tell(TransferEnd::Kind::Refused,
         [folder = m_spec.folder] { return tr("The folder %1 cannot be made").arg(folder); });
    return false;
  }
  if (!lock()) return false;
  for (std::size_t i = 0; i < m_files.size(); ++i) {
    const Bytes promised = m_spec.parts[i].n_bytes;
    if (promised > 0 && m_files[i]->n_bytes() > promised) m_files[i]->startAnew();
    // Of what came in an earlier run of the program nobody can say whether it is of the same file.
    if (!m_wasPrepared && !canTellApart(m_spec.parts[i])) m_files[i]->startAnew();
    if (!isFinal(i) && QFileInfo::exists(pathOf(i))) {
      const QString name = m_spec.parts[i].file, folder = QDir::toNativeSeparators(m_spec.folder);
      tell(TransferEnd::Kind::Refused, [name, folder] {
        return tr("%1 is in the folder %2 already, and is another file. Move it away, or remove it, and try again")
            .arg(name, folder);
      });
      return false;
    }
  }
  m_wasPrepared = true;
  return hasSpace() && writeRecord();
}

bool Transfer::lock() {
  if (m_lock != nullptr) return true;
  m_lock = std::make_unique<QLockFile>(PartFile::pathOf(m_spec.path()) + QStringLiteral(".lock"));
  m_lock->setStaleLockTime(0);  // by whether its program lives, not by its age
  if (m_lock->tryLock()) return true;
  const bool isHeld = m_lock->error() == QLockFile::LockFailedError;
  m_lock.reset();
  tell(TransferEnd::Kind::Refused, [isHeld, folder = m_spec.folder] {
    return isHeld ? tr("Another Headroom fetches this file already")
                  : tr("The folder %1 cannot be written to").arg(folder);
  });
  return false;
}

bool Transfer::hasSpace() {
  const Bytes whole = m_spec.n_bytes();
  if (whole == 0) return true;  // asked again when the server has said it
  const Bytes missing = whole - std::min(whole, bytesDone());
  const Bytes wanted = missing + kSpareDiskBytes, free = m_disk.freeBytes(m_spec.folder);
  if (missing == 0 || free >= wanted) return true;
  tell(TransferEnd::Kind::NoSpace, [wanted, missing, free, folder = QDir::toNativeSeparators(m_spec.folder)] {
    return tr("The disk lacks %1: %2 are still to come, %3 stay free, and %4 are free in %5")
        .arg(formatBytes(wanted - free), formatBytes(missing), formatBytes(kSpareDiskBytes), formatBytes(free), folder);
  });
  return false;
}

// Others may fill the disk meanwhile, another download among them.
bool Transfer::leavesSpace() {
  if (m_sinceSpace.isValid() && m_sinceSpace.elapsed() < kAskSpaceEachMs) return true;
  m_sinceSpace.start();
  const Bytes free = m_disk.freeBytes(m_spec.folder);
  if (free >= kSpareDiskBytes) return true;
  tell(TransferEnd::Kind::NoSpace, [free, folder = QDir::toNativeSeparators(m_spec.folder)] {
    return tr("The disk is nearly full: %1 are free in %2, and %3 stay free. Make room and go on")
        .arg(formatBytes(free), folder, formatBytes(kSpareDiskBytes));
  });
  return false;
}

bool Transfer::writeRecord() {
  const Message problem = writeWholeFile(m_spec.recordPath(), toJson(m_spec));
  if (problem.empty()) return true;
  tell(TransferEnd::Kind::Refused, [folder = m_spec.folder, problem] {
    return tr("The folder %1 cannot be written to: %2").arg(folder, wordsOf(problem));
  });
  return false;
}

// It has its own name already: a run before ended while it gave names to the parts.
bool Transfer::isFinal(std::size_t part) const {
  const Bytes promised = m_spec.parts[part].n_bytes;
  const QFileInfo info(pathOf(part));
  return promised > 0 && info.isFile() && static_cast<Bytes>(info.size()) == promised &&
         !QFileInfo::exists(PartFile::pathOf(pathOf(part)));
}

Bytes Transfer::bytesDone() const {
  Bytes sum = 0;
  for (std::size_t i = 0; i < m_files.size(); ++i) sum += isFinal(i) ? m_spec.parts[i].n_bytes : m_files[i]->n_bytes();
  return sum;
}

void Transfer::next() {
  for (m_part = 0; m_part < m_files.size(); ++m_part) {
    if (!isFinal(m_part) && (part().n_bytes == 0 || file().n_bytes() != part().n_bytes)) break;
  }
  if (m_part == m_files.size()) return verify();
  if (!file().open()) return tell(TransferEnd::Kind::Refused, cannotBeWritten());
  m_partBytes = file().n_bytes();
  m_otherBytes = bytesDone() - m_partBytes;
  tellProgress(true);
  request();
}

void Transfer::request() {
  dropGet();
  m_skipBytes = 0;
  m_get = new HttpGet(*m_network, m_access, m_limits, this);
  connect(m_get, &HttpGet::headArrived, this, &Transfer::takeHead);
  connect(m_get, &HttpGet::bytesArrived, this, &Transfer::takeBytes);
  connect(m_get, &HttpGet::ended, this, &Transfer::takeEnd);
  HttpRequest request{part().url, {}, {}, {}};
  if (m_partBytes > 0) request.from = m_partBytes;
  // The ETag of a server behind a hub may be another one next time, for the same file: there the hub's own is held
  // against what has come. Weak ones name no bytes.
  if (part().linkedEtag.isEmpty() && !part().etag.startsWith("W/")) request.ifRange = part().etag;
  m_get->start(request);
}

bool Transfer::isOtherFile(const HttpHead& head) const {
  if (!head.linkedEtag.isEmpty()) {
    const QByteArray sha256 = sha256Of(head.linkedEtag);
    if (!sha256.isEmpty() && !part().sha256.isEmpty()) return sha256 != part().sha256;
    if (!part().linkedEtag.isEmpty()) return head.linkedEtag != part().linkedEtag;
  }
  return !part().etag.isEmpty() && !head.etag.isEmpty() && head.etag != part().etag;
}

// What the server says of the file from now on. The length and the checksum that a hub listed stay, unless the hub
// itself says others: what another server says then has to match them.
void Transfer::adopt(const HttpHead& head) {
  const QByteArray sha256 = sha256Of(head.linkedEtag);
  const bool isListed = !part().sha256.isEmpty() && sha256.isEmpty();
  if (!sha256.isEmpty()) part().sha256 = sha256;
  part().etag = head.etag;
  part().linkedEtag = head.linkedEtag;
  if (isListed) return;
  if (head.linkedSize) {
    part().n_bytes = *head.linkedSize;
  } else if (head.range) {
    part().n_bytes = head.range->whole;
  } else if (head.status == 200 && head.contentLength) {
    part().n_bytes = *head.contentLength;
  }
}

Sentence Transfer::cannotBeWritten() {
  return [name = part().file, why = file().problem()] { return tr("%1 cannot be written: %2").arg(name, why); };
}

bool Transfer::startAnew(const Sentence& why) {
  if (++m_nStartedAnew > kMostNewStarts) {
    tell(TransferEnd::Kind::Refused,
         [name = part().file] { return tr("%1 changes on its server again and again").arg(name); });
    return false;
  }
  if (!file().startAnew()) {
    tell(TransferEnd::Kind::Refused, cannotBeWritten());
    return false;
  }
  if (m_partBytes > 0) emit noticed(m_run, why);
  m_partBytes = 0;
  return true;
}

// Of the statuses that bring no bytes; false: it was one of them.
bool Transfer::takeStatus(const HttpHead& head) {
  if (head.status == 200 || head.status == 206) return true;
  if (head.status == 416 && m_partBytes > 0) {
    part().etag.clear();
    part().linkedEtag.clear();
    if (startAnew([name = part().file] {
          return tr("%1 has become another file on its server: it is fetched from its beginning").arg(name);
        }))
      request();
    return false;
  }
  const HubTrouble trouble = troubleOfFile(head.status, m_spec.repository, part().url, m_access);
  if (head.status == 429) {
    tell(TransferEnd::Kind::AskedToWait, trouble.sentence, parseRetryAfterMs(head.retryAfter, kDefaultWaitMs));
  } else if (head.status >= 500 || head.status == 408) {
    tell(TransferEnd::Kind::Cut, trouble.sentence);
  } else if (head.status == 404 || head.status == 410) {
    tell(TransferEnd::Kind::Refused, [name = part().file] { return tr("%1 is not on its server any more").arg(name); });
  } else {
    tell(trouble.needsToken ? TransferEnd::Kind::NeedsToken : TransferEnd::Kind::Refused, trouble.sentence);
  }
  return false;
}

void Transfer::takeHead(const HttpHead& head) {
  if (!takeStatus(head)) return;
  const Bytes before = part().n_bytes;
  if (!(head.status == 206 ? takeStretch(head) : takeWhole(head))) return;
  if (part().n_bytes == 0)
    return tell(TransferEnd::Kind::Refused,
                [name = part().file] { return tr("The server does not say how long %1 is").arg(name); });
  if (before != part().n_bytes && !hasSpace()) return;
  if (!writeRecord()) return;
  tellProgress(true);
}

// Status 200: the file from its beginning, asked for or not.
bool Transfer::takeWhole(const HttpHead& head) {
  const bool isOther = isOtherFile(head);
  // A server that knows no Range sends what is here once more; it is read past, where it is surely the same.
  const bool isSurelySame =
      !isOther && (!part().sha256.isEmpty() || (!part().etag.isEmpty() && head.etag == part().etag));
  if (isOther) {
    if (!startAnew([name = part().file] {
          return tr("%1 has changed on its server: it is fetched from its beginning").arg(name);
        }))
      return false;
  } else if (m_partBytes > 0 && !isSurelySame) {
    if (!startAnew([name = part().file] {
          return tr("The server cannot go on in the middle of %1: it is fetched from its beginning").arg(name);
        }))
      return false;
  }
  if (isOther || part().n_bytes == 0 || m_partBytes == 0) adopt(head);
  m_skipBytes = m_partBytes;
  if (!head.contentLength || part().n_bytes == 0 || *head.contentLength == part().n_bytes) return true;
  tell(TransferEnd::Kind::Refused, [announced = *head.contentLength, name = part().file, expected = part().n_bytes] {
    return tr("The server announces %1 for %2, expected were %3")
        .arg(formatExactBytes(announced), name, formatExactBytes(expected));
  });
  return false;
}

// Status 206: from where we asked on.
bool Transfer::takeStretch(const HttpHead& head) {
  // Where there is no list to hold them against, two lengths that a server tells mean two files.
  const bool isOtherLength =
      part().sha256.isEmpty() && head.range && part().n_bytes > 0 && head.range->whole != part().n_bytes;
  if (isOtherFile(head) || isOtherLength) {
    if (!startAnew([name = part().file] {
          return tr("%1 has changed on its server: it is fetched from its beginning").arg(name);
        }))
      return false;
    adopt(head);
    request();
    return false;
  }
  Sentence problem;
  const QString name = part().file;
  const Bytes known = part().n_bytes;
  if (!head.range) {
    problem = [name] { return tr("The server sends a stretch of %1 and does not say which").arg(name); };
  } else if (head.range->from != m_partBytes) {
    problem = [name, from = head.range->from, asked = m_partBytes] {
      return tr("The server sends %1 from byte %2 on, asked for was byte %3")
          .arg(name, formatCount(from), formatCount(asked));
    };
  } else if (known > 0 && head.range->whole != known) {
    problem = [name, whole = head.range->whole, known] {
      return tr("The server says that %1 has %2, expected were %3")
          .arg(name, formatExactBytes(whole), formatExactBytes(known));
    };
  } else if (const Bytes length = head.range->upTo - head.range->from + 1;
             head.contentLength && *head.contentLength != length) {
    problem = [name, length, announced = *head.contentLength] {
      return tr("The server announces %1 of %2 and then says %3")
          .arg(formatExactBytes(length), name, formatExactBytes(announced));
    };
  }
  if (!problem.isEmpty()) {
    tell(TransferEnd::Kind::Refused, problem);
    return false;
  }
  if (part().n_bytes == 0) part().n_bytes = head.range->whole;
  if (part().etag.isEmpty()) part().etag = head.etag;
  if (part().linkedEtag.isEmpty()) part().linkedEtag = head.linkedEtag;
  return true;
}

void Transfer::takeBytes(const QByteArray& bytes) {
  if (isStopped()) return tell(TransferEnd::Kind::Stopped);
  QByteArray fresh = bytes;
  const Bytes skipped = std::min<Bytes>(m_skipBytes, static_cast<Bytes>(bytes.size()));
  m_skipBytes -= skipped;
  if (skipped > 0) fresh.remove(0, static_cast<qsizetype>(skipped));
  if (fresh.isEmpty()) return;
  const Bytes room = part().n_bytes - std::min(part().n_bytes, m_partBytes);
  const bool isTooMuch = static_cast<Bytes>(fresh.size()) > room;
  if (isTooMuch) fresh.truncate(static_cast<qsizetype>(room));
  switch (file().append(fresh)) {
    case PartFile::Written::All: break;
    case PartFile::Written::DiskFull:
      return tell(TransferEnd::Kind::NoSpace, [missing = part().n_bytes - std::min(part().n_bytes, file().n_bytes())] {
        return tr("The disk is full: %1 are still to come. Make room and go on").arg(formatBytes(missing));
      });
    case PartFile::Written::Failed: return tell(TransferEnd::Kind::Refused, cannotBeWritten());
  }
  m_partBytes += static_cast<Bytes>(fresh.size());
  tellProgress(false);
  if (!leavesSpace()) return;
  if (isTooMuch) {
    return tell(TransferEnd::Kind::Refused, [name = part().file, n_bytes = part().n_bytes] {
      return tr("The server sends more of %1 than the %2 that it has").arg(name, formatExactBytes(n_bytes));
    });
  }
}

void Transfer::takeEnd(const HttpEnd& end) {
  dropGet();
  if (end.kind == HttpEnd::Kind::Refused) return tell(TransferEnd::Kind::Refused, end.sentence);
  file().close();
  // A connection that breaks behind the last byte has brought all of it.
  if (part().n_bytes > 0 && m_partBytes == part().n_bytes) return next();
  if (end.kind == HttpEnd::Kind::Cut) return tell(TransferEnd::Kind::Cut, end.sentence);
  tell(TransferEnd::Kind::Cut, [name = part().file] { return tr("The server ended %1 too early").arg(name); });
}

void Transfer::verify() {
  tellProgress(true);
  emit verifying(m_run);
  for (m_part = 0; m_part < m_files.size(); ++m_part) {
    if (isFinal(m_part)) continue;
    if (!part().sha256.isEmpty()) {
      const std::optional<QByteArray> found = file().sha256([this] { return isStopped(); });
      if (isStopped()) return tell(TransferEnd::Kind::Stopped);
      if (!found)
        return tell(TransferEnd::Kind::Refused,
                    [name = part().file] { return tr("%1 cannot be read back from the disk").arg(name); });
      if (*found != part().sha256) {
        file().remove();
        return tell(TransferEnd::Kind::WrongChecksum, [name = part().file] {
          return tr("What came of %1 is not what the hub lists: its checksum is another one. It was deleted").arg(name);
        });
      }
    }
    if (!file().sync()) return tell(TransferEnd::Kind::Refused, cannotBeWritten());
  }
  finish();
}

// The first part, by which a model is found, gets its name last.
void Transfer::finish() {
  for (std::size_t i = m_files.size(); i-- > 0;) {
    if (isFinal(i)) continue;
    if (!m_files[i]->giveFinalName())
      return tell(TransferEnd::Kind::Refused,
                  [name = m_spec.parts[i].file] { return tr("%1 cannot be given its name").arg(name); });
    syncFolder(m_spec.folder);
  }
  QFile::remove(m_spec.recordPath());
  tell(TransferEnd::Kind::Done);
}

void Transfer::tellProgress(bool now) {
  if (!now && m_sinceTold.isValid() && m_sinceTold.elapsed() < kTellEachMs) {
    if (!m_tellLater.isActive()) m_tellLater.start();
    return;
  }
  m_tellLater.stop();
  m_sinceTold.start();
  emit progressed(m_run, m_otherBytes + m_partBytes, m_spec.n_bytes());
}

void Transfer::dropGet() {
  if (m_get == nullptr) return;
  m_get->abort();
  std::exchange(m_get, nullptr)->deleteLater();
}

void Transfer::tell(TransferEnd::Kind kind, const Sentence& sentence, int waitMs) {
  dropGet();
  m_tellLater.stop();
  for (const auto& file : m_files) file->close();
  if (kind == TransferEnd::Kind::Cut || kind == TransferEnd::Kind::NoSpace) tellProgress(true);
  m_lock.reset();
  emit ended(m_run, {kind, sentence, waitMs});
}

}  // namespace headroom::ui
