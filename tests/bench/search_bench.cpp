// Searching 10,000 messages of about 1 KB each (a fifth of them Chinese), in 200 conversations and all in one, and
// saving an answer of 10 KB once more while it grows. The target: each search under 20 ms.
#include <benchmark/benchmark.h>

#include <QCoreApplication>
#include <QTemporaryDir>
#include <cmath>
#include <random>

#include "app/conversation_database.h"

namespace {

using namespace headroom;

constexpr int kMessages = 10'000;

class Texts {
 public:
  Texts() {
    const QString letters = QStringLiteral("etaoinshrdlucmfwypvbgkjqxz");
    for (int i = 0; i < 20'000; ++i) {
      QString word;
      for (unsigned n = 2 + m_random() % 8; n > 0; --n) word += letters[skewed(26)];
      m_words.append(word);
    }
  }
  // Frequent things first, as in any language.
  int skewed(int n) {
    const double share = static_cast<double>(m_random() % 1'000'000 + 1) / 1'000'001;
    return std::min(n - 1, static_cast<int>(std::pow(static_cast<double>(n), share)) - 1);
  }
  QString next() {
    QString text;
    if (m_random() % 5 == 0) {
      for (int i = 0; i < 340; ++i) text += QChar(0x4e00 + skewed(3000));
    } else {
      while (text.size() < 1000) text += m_words[skewed(20'000)] + ' ';
    }
    return text;
  }
  const QStringList& words() const { return m_words; }

 private:
  std::mt19937 m_random{1};
  QStringList m_words;
};

// Made once for each number of conversations.
struct Filled {
  explicit Filled(int conversations) {
    auto opened = app::ConversationDatabase::open(folder.filePath("conversations.sqlite"));
    CHECK(opened.ok(), "a database can be made");
    database = std::move(*opened);
    const QString none;
    for (int i = 0; i < kMessages; ++i) {
      const QString id = QString("c%1").arg(i % conversations);
      if (i < conversations) CHECK(database->saveHead({id, "Title", "", 1, i}).ok(), "it is saved");
      ui::Turn turn;
      turn.id = QString("t%1").arg(i);
      turn.parentId = i < conversations ? none : QString("t%1").arg(i - conversations);
      turn.text = texts.next();
      if (i == kMessages / 2) turn.text += " Ärgerliche Straßenbahn 模型内存";
      CHECK(database->saveTurn(id, turn).ok(), "it is saved");
    }
  }
  static Filled& with(int conversations) {
    static Filled many(200), one(1);
    return conversations == 1 ? one : many;
  }
  Texts texts;
  QTemporaryDir folder;
  std::unique_ptr<app::ConversationDatabase> database;
};

void search(benchmark::State& state, const QString& text) {
  Filled& filled = Filled::with(static_cast<int>(state.range(0)));
  qsizetype found = 0;
  for (auto _ : state) {
    const auto heads = filled.database->list(text);
    CHECK(heads.ok(), "it is searched");
    found = heads->size();
  }
  state.counters["found"] = static_cast<double>(found);
}

void searchPhrase(benchmark::State& state, int first, int second) {
  const QStringList& words = Filled::with(static_cast<int>(state.range(0))).texts.words();
  search(state, words[first] + ' ' + words[second]);
}

void saveGrowingAnswer(benchmark::State& state) {
  Filled& filled = Filled::with(200);
  ui::Turn turn;
  turn.id = "growing";
  turn.role = ui::Role::Assistant;
  turn.text = filled.texts.next().repeated(10);
  for (auto _ : state) {
    turn.text += "word ";
    CHECK(filled.database->saveTurn("c1", turn).ok(), "it is saved");
  }
}

BENCHMARK_CAPTURE(search, one_word_with_capitals, QString("STRASSENBAHN"))
    ->Arg(200)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, absent, QString("zzqqxx"))->Arg(200)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, frequent_letters, QString("eta"))->Arg(200)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, one_letter, QString("e"))->Arg(200)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, absent_letter, QString("ж"))->Arg(200)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, two_letters, QString("qz"))->Arg(200)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, chinese_word, QString("模型"))->Arg(200)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, frequent_chinese_letter, QString(QChar(0x4e00)))
    ->Arg(200)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search, everything, QString())->Arg(200)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchPhrase, frequent_words, 0, 1)->Arg(200)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(searchPhrase, a_rare_and_a_frequent_word, 15'000, 1)->Arg(200)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(saveGrowingAnswer)->Unit(benchmark::kMillisecond);

}  // namespace

// Qt finds its driver for SQLite through an application.
int main(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
