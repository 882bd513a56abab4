#include "ui/library/library_entry.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>

#include "ui/format/format_bytes.h"
#include "ui/format/message_words.h"
#include "ui/library/model_name.h"

namespace headroom::ui {
namespace {

struct EntryWords {
  Q_DECLARE_TR_FUNCTIONS(LibraryEntry)
};

using State = LibraryEntry::State;

// Sentences of files begin with their path, which the row says anyway.
QString withoutPath(QString sentence, const QString& path) {
  const QString start = path + QLatin1String(": ");
  if (!sentence.startsWith(start)) return sentence;
  sentence.remove(0, start.size());
  if (!sentence.isEmpty()) sentence[0] = sentence[0].toUpper();
  return sentence;
}

QString asSentence(const QString& text) {
  return text.isEmpty() || text.endsWith(QLatin1Char('.')) ? text : text + QLatin1Char('.');
}

QString partsText(const FoundModel& found) {
  if (found.nParts == 1) return EntryWords::tr("Its file is missing");
  return EntryWords::tr("%n of %1 parts missing", nullptr, found.nMissing)
      .arg(formatCount(static_cast<quint64>(found.nParts)));
}

}  // namespace

QString quantizationOf(const LibraryEntry& entry) {
  if (const QString named = quantizationInName(entry.found.path); !named.isEmpty()) return named;
  if (!entry.facts.model || entry.facts.model->bytes_by_type.empty()) return {};
  return QString::fromStdString(entry.facts.model->bytes_by_type.front().first);
}

QString badgeText(const LibraryEntry& entry) {
  if (entry.isOffline) return EntryWords::tr("Offline");
  switch (entry.state) {
    case State::Reading:
      return entry.isGrowing ? EntryWords::tr("Still being written") : EntryWords::tr("Reading\u2026");
    case State::Ready: return fitText(entry.fit);
    case State::Incomplete: return EntryWords::tr("Incomplete");
    case State::Arriving: return EntryWords::tr("Still being written");
    case State::Refused:
      return entry.facts.isUnsupported ? EntryWords::tr("Not supported") : EntryWords::tr("Cannot be read");
  }
  return {};
}

Tone badgeTone(const LibraryEntry& entry) {
  if (entry.isOffline) return Tone::Neutral;
  switch (entry.state) {
    case State::Ready: return fitTone(entry.fit);
    case State::Incomplete:
    case State::Refused: return Tone::Warning;
    case State::Reading:
    case State::Arriving: break;
  }
  return Tone::Neutral;
}

QString factsText(const LibraryEntry& entry) {
  QStringList facts;
  const auto add = [&](const QString& fact) {
    if (!fact.isEmpty()) facts << fact;
  };
  add(quantizationOf(entry));
  if (const auto& model = entry.facts.model) {
    add(QString::fromStdString(model->architecture));
    add(formatParameters(model->n_params));
  }
  add(formatBytes(entry.found.bytes));
  if (entry.state == State::Incomplete) add(partsText(entry.found));
  if (entry.state == State::Refused) add(withoutPath(partsOf(entry.facts.refusal).sentence, entry.found.path));
  if (const auto& model = entry.facts.model; model && model->n_ctx_trained > 0)
    add(EntryWords::tr("context %1").arg(formatCount(model->n_ctx_trained)));
  add(folderLabel(entry.folder));
  return facts.join(QStringLiteral(" \u00b7 "));
}

QString explanation(const LibraryEntry& entry) {
  if (entry.isOffline) return EntryWords::tr("Its folder, %1, cannot be reached now.").arg(entry.folder.path);
  switch (entry.state) {
    case State::Reading: break;
    case State::Ready:
      return entry.fit.kind == ModelFit::Kind::NoPlan ? asSentence(wordsOf(entry.fit.problem)) : QString();
    case State::Incomplete: return asSentence(partsText(entry.found));
    case State::Arriving: return EntryWords::tr("It is looked at again when its file no longer grows.");
    case State::Refused: {
      const MessageInParts refusal = partsOf(entry.facts.refusal);
      const QString sentence = asSentence(withoutPath(refusal.sentence, entry.found.path));
      return refusal.details.isEmpty() ? sentence : sentence + QLatin1Char(' ') + asSentence(refusal.details);
    }
  }
  return {};
}

bool matches(const LibraryEntry& entry, const QString& search) {
  const QStringList words = search.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (words.isEmpty()) return true;
  QStringList texts{entry.found.name, QFileInfo(entry.found.path).fileName(), quantizationOf(entry)};
  if (entry.facts.model) {
    texts << QString::fromStdString(entry.facts.model->architecture) << QString::fromStdString(entry.facts.model->name);
  }
  return std::all_of(words.begin(), words.end(), [&](const QString& word) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const QString& text) { return text.contains(word, Qt::CaseInsensitive); });
  });
}

bool standsBefore(const LibraryEntry& a, const LibraryEntry& b, LibraryOrder order) {
  const auto byName = [&] {
    const int names = a.found.name.compare(b.found.name, Qt::CaseInsensitive);
    return names != 0 ? names < 0 : a.found.path < b.found.path;
  };
  switch (order) {
    case LibraryOrder::Size:
      if (a.found.bytes != b.found.bytes) return a.found.bytes > b.found.bytes;
      break;
    case LibraryOrder::Newest:
      if (a.found.changedMs != b.found.changedMs) return a.found.changedMs > b.found.changedMs;
      break;
    case LibraryOrder::Fit:
      if (fitsBetter(a.fit, b.fit) != fitsBetter(b.fit, a.fit)) return fitsBetter(a.fit, b.fit);
      break;
    case LibraryOrder::Name: break;
  }
  return byName();
}

}  // namespace headroom::ui
