#include "ui/chart/chart_export.h"

#include <gtest/gtest.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace headroom::ui {
namespace {

std::vector<MemoryFrame> twoFrames() {
  std::vector<MemoryFrame> frames(2);
  frames[0].timeMs = 1'700'000'000'000;
  frames[0].of(Segment::Weights) = 5 * kGiB + 1;
  frames[1].timeMs = 1'700'000'000'200;
  frames[1].of(Segment::Free) = 7;
  frames[1].isContradictory = true;
  frames[1].spilled = 3;
  return frames;
}

TEST(ChartExport, csv_has_a_column_per_segment_and_exact_bytes) {
  const QList<QByteArray> lines = framesToCsv(twoFrames()).split('\n');
  ASSERT_EQ(lines.size(), 4);  // header, two rows, the end of the last line
  EXPECT_EQ(
      lines[0],
      "time_ms,weights,kv_used,kv_reserved,state,checkpoints,activations,program,driver,others,headroom,free,spilled");
  EXPECT_EQ(lines[1], "1700000000000,5368709121,0,0,0,0,0,0,0,0,0,0,0");
  EXPECT_EQ(lines[2], "1700000000200,0,0,0,0,0,0,0,0,0,0,7,3");
}

TEST(ChartExport, json_reads_back_as_the_same_figures) {
  const QJsonObject root = QJsonDocument::fromJson(framesToJson(twoFrames(), QStringLiteral("cpu \"x\""), 42)).object();
  EXPECT_EQ(root[QStringLiteral("device")].toString(), QStringLiteral("cpu \"x\""));
  EXPECT_EQ(root[QStringLiteral("planned_bytes")].toInteger(), 42);
  const QJsonArray frames = root[QStringLiteral("frames")].toArray();
  ASSERT_EQ(frames.size(), 2);
  EXPECT_EQ(frames[0][QStringLiteral("weights")].toInteger(), 5'368'709'121);
  EXPECT_TRUE(frames[1][QStringLiteral("contradictory")].toBool());
  EXPECT_EQ(frames[1][QStringLiteral("spilled")].toInteger(), 3);
}

}  // namespace
}  // namespace headroom::ui
