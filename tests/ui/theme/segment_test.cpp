#include "ui/theme/segment.h"

#include <gtest/gtest.h>

#include <QSet>

namespace headroom::ui {
namespace {

TEST(SegmentTest, each_has_a_name_a_sentence_and_a_key_of_its_own) {
  QSet<QString> names, sentences, keys;
  for (const Segment segment : kSegments) {
    names.insert(segmentName(segment));
    sentences.insert(segmentExplanation(segment));
    keys.insert(QLatin1String(segmentKey(segment)));
    EXPECT_TRUE(segmentExplanation(segment).endsWith(QLatin1Char('.'))) << segmentKey(segment);
  }
  for (const auto* set : {&names, &sentences, &keys}) EXPECT_EQ(set->size(), static_cast<int>(kSegments.size()));
}

// Whoever reads exported files depends on them.
TEST(SegmentTest, keys_and_their_order_stay) {
  QStringList keys;
  for (const Segment segment : kSegments) keys.append(QLatin1String(segmentKey(segment)));
  EXPECT_EQ(keys.join(' '),
            "weights kv_used kv_reserved state checkpoints activations program driver others headroom free");
}

}  // namespace
}  // namespace headroom::ui
