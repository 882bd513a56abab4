// The committed translations hold every text of the sources, and each one whole.
#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <map>
#include <utility>

namespace headroom::ui {
namespace {

const QString kFolder = QStringLiteral(HEADROOM_SOURCE_DIR "/ui/translations");

struct Entry {
  bool isCounted = false, isFinished = true;
  QStringList forms;
};
using Entries = std::map<std::pair<QString, QString>, Entry>;  // by context and source

Entry readEntry(QXmlStreamReader& xml, QString& source) {
  Entry entry;
  entry.isCounted = xml.attributes().value("numerus") == QLatin1StringView("yes");
  while (xml.readNextStartElement()) {
    if (xml.name() == QLatin1StringView("source")) {
      source = xml.readElementText();
    } else if (xml.name() == QLatin1StringView("translation")) {
      entry.isFinished = !xml.attributes().hasAttribute("type");
      if (!entry.isCounted) {
        entry.forms << xml.readElementText();
        continue;
      }
      while (xml.readNextStartElement()) entry.forms << xml.readElementText();
    } else {
      xml.skipCurrentElement();
    }
  }
  return entry;
}

Entries entriesOf(const QString& path) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
  QXmlStreamReader xml(&file);
  Entries entries;
  EXPECT_TRUE(xml.readNextStartElement());
  while (xml.readNextStartElement()) {
    QString context;
    while (xml.readNextStartElement()) {
      if (xml.name() == QLatin1StringView("name")) {
        context = xml.readElementText();
      } else if (xml.name() == QLatin1StringView("message")) {
        QString source;
        Entry entry = readEntry(xml, source);
        entries[{context, source}] = std::move(entry);
      } else {
        xml.skipCurrentElement();
      }
    }
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  return entries;
}

// "%1", "%n", "{}" and tags, sorted: what a translation has to say again, in any order.
QStringList marksOf(const QString& text) {
  static const QRegularExpression kMarks(QStringLiteral("%[1-9n]|\\{[0-9]*\\}|</?[a-z0-9]+>"));
  QStringList marks;
  for (auto found = kMarks.globalMatch(text); found.hasNext();) {
    const QString mark = found.next().captured();
    marks << (mark.startsWith(QLatin1Char('{')) ? QStringLiteral("{}")
                                                : mark);  // "{1} {0}" is another order of "{} {}"
  }
  marks.sort();
  return marks;
}

// "Its model comes back" of "Its %n models come back": one needs no figure.
bool hasMarksOf(const QString& form, const QString& source, bool isForOne) {
  const QStringList expected = marksOf(source), found = marksOf(form);
  if (found == expected) return true;
  QStringList withoutCount = expected;
  withoutCount.removeOne(QStringLiteral("%n"));
  return isForOne && found == withoutCount;
}

class Translations : public testing::TestWithParam<const char*> {
 protected:
  QString file() const { return QStringLiteral("headroom_%1.ts").arg(QLatin1StringView(GetParam())); }
};

TEST_P(Translations, hold_every_text_of_the_sources_and_no_other) {
  const QTemporaryDir folder;
  for (const QString& name : QDir(kFolder).entryList({QStringLiteral("*.ts")}))
    ASSERT_TRUE(QFile::copy(kFolder + u'/' + name, folder.filePath(name)));
  QProcess script;
  script.setProcessChannelMode(QProcess::MergedChannels);
  script.start(QStringLiteral(HEADROOM_SOURCE_DIR "/cmake/translations.sh"), {folder.path()});
  ASSERT_TRUE(script.waitForFinished(120'000));
  const QByteArray told = script.readAll();
  ASSERT_EQ(script.exitCode(), 0) << told.toStdString();
  EXPECT_EQ(told.toStdString(), "") << "lupdate warns of texts that nobody would find when the program runs";
  const Entries committed = entriesOf(kFolder + u'/' + file()), now = entriesOf(folder.filePath(file()));
  for (const auto& [key, entry] : now) {
    EXPECT_TRUE(committed.contains(key)) << "missing in " << key.first.toStdString() << ": " << key.second.toStdString()
                                         << "; cmake/translations.sh adds it";
  }
  for (const auto& [key, entry] : committed) {
    EXPECT_TRUE(now.contains(key)) << "nobody says in " << key.first.toStdString() << ": " << key.second.toStdString()
                                   << "; cmake/translations.sh removes it";
  }
}

TEST_P(Translations, are_whole) {
  const Entries entries = entriesOf(kFolder + u'/' + file());
  ASSERT_GT(entries.size(), 10U);
  for (const auto& [key, entry] : entries) {
    const std::string where = key.first.toStdString() + ": " + key.second.toStdString();
    if (!entry.isFinished) {
      ADD_FAILURE() << "not translated in " << where;
      continue;
    }
    EXPECT_EQ(entry.forms.size(), entry.isCounted ? 2 : 1) << "one form for one, one for many: " << where;
    for (const QString& form : entry.forms) {
      EXPECT_FALSE(form.trimmed().isEmpty()) << where;
      EXPECT_TRUE(hasMarksOf(form, key.second, entry.isCounted && &form == &entry.forms.front()))
          << "other place markers than " << where << " has: " << form.toStdString();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, Translations, testing::Values("de", "en"),
                         [](const auto& language) { return std::string(language.param); });

}  // namespace
}  // namespace headroom::ui
