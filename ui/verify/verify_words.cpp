#include "ui/verify/verify_words.h"

#include <QCoreApplication>

#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"

namespace headroom::ui {
namespace {

struct VerifyWords {
  Q_DECLARE_TR_FUNCTIONS(Verify)
};

QString grew(const QString& sentence, const VerifyDifference& difference) {
  return sentence.arg(formatBytes(difference.found), formatBytes(difference.expected));
}

QString sentenceOf(const VerifyDifference& difference) {
  using Kind = VerifyDifference::Kind;
  switch (difference.kind) {
    case Kind::kMapped:
      return VerifyWords::tr("%1: %2 planned, %3 mapped (%4).")
          .arg(QString::fromStdString(difference.device), formatBytes(difference.expected),
               formatBytes(difference.found), formatDifference(difference.expected, difference.found));
    case Kind::kAllocated: return VerifyWords::tr("Allocations since load: %1.").arg(formatCount(difference.found));
    case Kind::kNotFull:
      return VerifyWords::tr("Slots filled to their end: %1 of %2.")
          .arg(formatCount(difference.found), formatCount(difference.expected));
    case Kind::kEndNotRefused:
      return VerifyWords::tr("A prompt of %1 tokens was taken, and the context holds %2.")
          .arg(formatCount(difference.found), formatCount(difference.expected));
    case Kind::kDriverGrew:
      return grew(VerifyWords::tr("Drivers took %1 more over the answers; up to %2 is allowed."), difference);
    case Kind::kHeapGrew:
      return grew(VerifyWords::tr("The heap grew by %1 over the answers; up to %2 is allowed."), difference);
    case Kind::kMappingsGrew:
      return grew(VerifyWords::tr("Mappings grew by %1 over the answers; up to %2 is allowed."), difference);
  }
  return {};
}

}  // namespace

QString verifyVerdict(const Verification& found) {
  if (!verifyDifferences(found).isEmpty()) return VerifyWords::tr("Not as planned");
  return VerifyWords::tr("As planned: %1 planned, %2 mapped, nothing allocated since load")
      .arg(formatBytes(planned_bytes(found)), formatBytes(mapped_bytes(found)));
}

QStringList verifyDifferences(const Verification& found) {
  QStringList sentences;
  for (const VerifyDifference& difference : verify_differences(found, VerifyProcess::kWithWindow))
    sentences << sentenceOf(difference);
  return sentences;
}

QString verifyStep(const VerifyProgress& progress) {
  const auto step = [&](const QString& what) {
    return VerifyWords::tr("Step %1 of %2: %3")
        .arg(formatCount(static_cast<quint64>(progress.stage) + 1), formatCount(kVerifyStages), what);
  };
  switch (progress.stage) {
    case VerifyStage::kOneSlot: return step(VerifyWords::tr("filling a slot, and timing"));
    case VerifyStage::kAllSlots: return step(VerifyWords::tr("filling all slots to their end"));
    case VerifyStage::kAnswers: return step(VerifyWords::tr("writing short answers"));
  }
  return {};
}

QString verifyEnd(const Error& error) {
  if (error.code == ErrorCode::kCancelled) return VerifyWords::tr("Stopped. The model is loaded as before.");
  return VerifyWords::tr("It did not come to its end: %1").arg(wordsOf(error.message));
}

}  // namespace headroom::ui
