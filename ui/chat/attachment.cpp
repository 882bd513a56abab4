#include "ui/chat/attachment.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <optional>

#include "ui/chat/text_encoding.h"
#include "ui/format/format_bytes.h"

namespace headroom::ui {

namespace {

// A text in UTF-32 has at most four times the bytes that it has in UTF-8, in which texts are measured.
constexpr Bytes kMostBytesOfOne = 4;
constexpr qint64 kHeadBytes = 1024;  // where the mark of a PDF may stand, says its specification

struct AttachmentWords {
  Q_DECLARE_TR_FUNCTIONS(Attachment)
};

AttachmentRefusal refused(const Sentence& sentence) { return {sentence}; }

// `amount`: how much it has, as a predicate.
AttachmentRefusal tooLarge(const QString& name, const Sentence& amount, const AttachmentLimit& limit) {
  return refused([name, amount, limit] {
    if (limit.nCtx == 0) {
      return AttachmentWords::tr("%1 %2; at most %3 of text can be attached. Attach a part of it.")
          .arg(name, amount.text(), formatBytes(limit.textBytes));
    }
    return AttachmentWords::tr(
               "%1 %2; the context of %3 tokens takes %4 of text at the very most. Attach a part "
               "of it, or plan a larger context.")
        .arg(name, amount.text(), formatCount(limit.nCtx), formatBytes(limit.textBytes));
  });
}

AttachmentRefusal cannotBeRead(const QString& name, const QString& why) {
  return refused([name, why] { return AttachmentWords::tr("%1 cannot be read: %2.").arg(name, why); });
}

ReadAttachment attachmentOf(const QString& name, PdfText pdf, const AttachmentLimit& limit) {
  const quint32 page = pdf.page, nPages = pdf.nPages;
  switch (pdf.end) {
    case PdfText::End::Read: break;
    case PdfText::End::Locked:
      return refused([name] {
        return AttachmentWords::tr(
                   "%1 is a PDF with a password, so it cannot be read. Save a copy without one "
                   "and attach that.")
            .arg(name);
      });
    case PdfText::End::Damaged:
      return refused(
          [name] { return AttachmentWords::tr("%1 is a damaged PDF: no page could be found in it.").arg(name); });
    case PdfText::End::TooManyPages:
      return refused([name, nPages] {
        return AttachmentWords::tr("%1 has %2 pages; at most %3 are read. Attach a part of it.")
            .arg(name, formatCount(nPages), formatCount(kMostPdfPages));
      });
    case PdfText::End::TooLong:
      return tooLarge(
          name,
          [textBytes = limit.textBytes, page, nPages] {
            return AttachmentWords::tr("has more than %1 of text on the first %2 of its %3 pages")
                .arg(formatBytes(textBytes), formatCount(page), formatCount(nPages));
          },
          limit);
    case PdfText::End::Crashed:
      return refused([name, page] {
        return page == 0 ? AttachmentWords::tr("%1 is a damaged PDF: the reader crashed while it opened it.").arg(name)
                         : AttachmentWords::tr("%1 is a damaged PDF: the reader crashed on page %2.")
                               .arg(name, formatCount(page));
      });
    case PdfText::End::Slow:
      return refused([name, page] {
        return page == 0 ? AttachmentWords::tr("%1 was given up: it took longer than %2 to open.")
                               .arg(name, formatDuration(kPdfPatienceMs))
                         : AttachmentWords::tr("%1 was given up: page %2 took longer than %3 to read.")
                               .arg(name, formatCount(page), formatDuration(kPdfPatienceMs));
      });
    case PdfText::End::NoReader: return cannotBeRead(name, pdf.problem);
    case PdfText::End::Stopped:
      return refused([name] { return AttachmentWords::tr("%1 was not read to its end.").arg(name); });
  }
  if (pdf.text.trimmed().isEmpty()) {
    return refused([name, nPages] {
      return AttachmentWords::tr(
                 "%1 has no text on its %2 pages, as scanned pages have none; Headroom reads no "
                 "pictures.",
                 nullptr, static_cast<int>(nPages))
          .arg(name, formatCount(nPages));
    });
  }
  return Attachment{name, std::move(pdf.text)};
}

bool isPdf(const QString& name, const QByteArray& head) {
  const bool isNamedSo = name.endsWith(QLatin1StringView(".pdf"), Qt::CaseInsensitive);
  return head.startsWith("%PDF-") || (isNamedSo && head.contains("%PDF-"));
}

ReadAttachment textOf(const QString& name, QFile& file, const AttachmentLimit& limit) {
  const Bytes most = kMostBytesOfOne * limit.textBytes;
  const auto size = static_cast<Bytes>(file.size());
  const auto is = [](Bytes bytes) -> Sentence {
    return [bytes] { return AttachmentWords::tr("is %1").arg(formatBytes(bytes)); };
  };
  if (size > most) return tooLarge(name, is(size), limit);
  // One byte more than the limit tells a larger file, whatever its size was a moment ago.
  const QByteArray bytes = file.read(static_cast<qint64>(most) + 1);
  if (file.error() != QFileDevice::NoError) return cannotBeRead(name, file.errorString());
  if (static_cast<Bytes>(bytes.size()) > most) {
    const Bytes now = std::max(static_cast<Bytes>(file.size()), static_cast<Bytes>(bytes.size()));
    return tooLarge(name, is(now), limit);
  }
  std::optional<QString> text = decodeText(bytes);
  if (!text) {
    return refused([name] {
      return AttachmentWords::tr("%1 is neither text nor a PDF with text, so it cannot be attached.").arg(name);
    });
  }
  text->replace(QLatin1StringView("\r\n"), QLatin1StringView("\n"));
  if (text->trimmed().isEmpty())
    return refused([name] { return AttachmentWords::tr("%1 is empty; there is nothing to attach.").arg(name); });
  if (const auto textBytes = static_cast<Bytes>(text->toUtf8().size()); textBytes > limit.textBytes) {
    return tooLarge(
        name, [textBytes] { return AttachmentWords::tr("has %1 of text").arg(formatBytes(textBytes)); }, limit);
  }
  return Attachment{name, *text};
}

}  // namespace

ReadAttachment readAttachment(const AttachmentOrder& order, const ReadPdf& readPdf) {
  const QFileInfo info(order.path);
  const QString name = info.fileName();
  if (info.isDir()) return IsFolder{};
  // A link to nothing does not exist either.
  if (!info.exists())
    return refused([name] { return AttachmentWords::tr("%1 is not there: it was moved or deleted.").arg(name); });
  // Opening a pipe waits for somebody who writes into it.
  if (!info.isFile())
    return refused([name] {
      return AttachmentWords::tr("%1 is a device or a pipe, not a file; only text and PDF files can be attached.")
          .arg(name);
    });
  QFile file(order.path);
  if (!file.open(QIODevice::ReadOnly)) return cannotBeRead(name, file.errorString());
  if (isPdf(name, file.peek(kHeadBytes))) {
    file.close();
    if (!readPdf)
      return refused([name] { return AttachmentWords::tr("%1 is a PDF, which cannot be read here.").arg(name); });
    return attachmentOf(name, readPdf(order.path, order.limit.textBytes, order.stop), order.limit);
  }
  return textOf(name, file, order.limit);
}

}  // namespace headroom::ui
