#include "ui/format/account_text.h"

#include <QCoreApplication>

#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"

namespace headroom::ui {
namespace {

struct MemoryAccountWords {
  Q_DECLARE_TR_FUNCTIONS(MemoryAccount)
};

bool isAssumed(const MemoryAccount& account) { return account.confidence == MemoryConfidence::kAssumed; }

}  // namespace

QString othersBytesText(Bytes others, const MemoryAccount& account) {
  const QString bytes = formatBytes(others);
  switch (account.confidence) {
    case MemoryConfidence::kMeasured: break;
    case MemoryConfidence::kEstimated: return QStringLiteral("\u2248 %1").arg(bytes);
    case MemoryConfidence::kAssumed: return MemoryAccountWords::tr("not known");
  }
  return bytes;
}

QString othersSpokenText(Bytes others, const MemoryAccount& account) {
  return account.confidence == MemoryConfidence::kEstimated
             ? MemoryAccountWords::tr("about %1").arg(formatBytes(others))
             : othersBytesText(others, account);
}

QString freeBytesText(Bytes free, const MemoryAccount& account) {
  const QString bytes = formatBytes(free);
  return isAssumed(account) ? QStringLiteral("\u2264 %1").arg(bytes) : bytes;
}

QString freeSpokenText(Bytes free, const MemoryAccount& account) {
  return isAssumed(account) ? MemoryAccountWords::tr("at most %1").arg(formatBytes(free)) : formatBytes(free);
}

QString inUseRemark(const MemoryAccount& account) {
  return isAssumed(account) ? MemoryAccountWords::tr(", and what other programs hold is not known") : QString();
}

QString doubtText(const MemoryAccount& account) { return wordsOf(account.doubt); }

QString spillText(Bytes spilled) {
  return MemoryAccountWords::
      tr("%1 of the model was pushed out of this device into the computer\u2019s ordinary memory, from where it is "
         "read many times more slowly. Close other programs that use the device, or load with fewer layers on it or "
         "a shorter context.")
          .arg(formatBytes(spilled));
}

}  // namespace headroom::ui
