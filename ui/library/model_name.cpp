#include "ui/library/model_name.h"

#include <QRegularExpression>

namespace headroom::ui {

QString quantizationInName(const QString& path) {
  static const QRegularExpression kType(
      QStringLiteral("(?:^|[-._])((?:UD-)?(?:I?Q[1-8](?:_[A-Z0-9]+)*|TQ[12]_0|BF16|F16|FP16|F32|MXFP4(?:_MOE)?|NVFP4))"
                     "(?=[-._]|$)"),
      QRegularExpression::CaseInsensitiveOption);
  QString found;
  QRegularExpressionMatchIterator matches = kType.globalMatch(path.section(QLatin1Char('/'), -1));
  while (matches.hasNext()) found = matches.next().captured(1);
  return found.toUpper();
}

bool isSha256(const QString& text) {
  static const QRegularExpression kDigits(QStringLiteral("\\A[0-9a-f]{64}\\z"));
  return kDigits.match(text).hasMatch();
}

}  // namespace headroom::ui
