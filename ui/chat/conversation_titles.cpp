#include "ui/chat/conversation_titles.h"

#include <QRegularExpression>

#include "ui/chat/conversation.h"

namespace headroom::ui {

namespace {

constexpr qsizetype kTitleChars = 48, kModelTitleChars = 64;

// One line, cut at a space where one is near.
QString shortened(const QString& text) {
  const QString line = text.simplified();
  if (line.size() <= kTitleChars) return line;
  const qsizetype space = line.lastIndexOf(u' ', kTitleChars);
  qsizetype end = space > kTitleChars / 2 ? space : kTitleChars;
  if (line[end - 1].isHighSurrogate()) --end;
  return line.left(end) + u'…';
}

}  // namespace

QString titleFromMessage(const Turn& turn) {
  const bool isFileAlone = turn.text.trimmed().isEmpty() && !turn.attachments.isEmpty();
  return shortened(isFileAlone ? turn.attachments.first().name : turn.text);
}

QString titleFromModel(const QString& written) {
  static const QRegularExpression kLabel(QStringLiteral("^(title|titel)\\s*:"),
                                         QRegularExpression::CaseInsensitiveOption);
  static const QRegularExpression kAround(QStringLiteral("^[\\s\"'`*#_“”„‚‘’«»]+|[\\s\"'`*_“”„‚‘’«».]+$"));
  QString line = written.trimmed().section(u'\n', 0, 0).simplified();
  line.remove(kAround).remove(kLabel).remove(kAround);
  return line.size() <= kModelTitleChars ? line : QString();
}

}  // namespace headroom::ui
