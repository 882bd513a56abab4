#include "app/native_path.h"

#include <gtest/gtest.h>

#include <random>

namespace headroom::app {
namespace {

TEST(NativePath, any_bytes_become_a_text_and_come_back) {
  std::mt19937 random(3);
  for (int round = 0; round < 20'000; ++round) {
    QByteArray bytes;
    for (unsigned n = random() % 12; n > 0; --n) {
      const QByteArray pieces[] = {
          "a", "ü", "模", "🦓", "\n", " ", QByteArray(1, static_cast<char>(random() % 255 + 1))};
      bytes += pieces[random() % std::size(pieces)];
    }
    ASSERT_EQ(bytesOfPath(pathFromBytes(bytes)), bytes) << bytes.toHex().toStdString();
  }
}

TEST(NativePath, what_is_utf8_reads_as_such) {
  EXPECT_EQ(pathFromBytes("/ü/模型 🦓.gguf"), QString("/ü/模型 🦓.gguf"));
  EXPECT_EQ(fromNativePath(toNativePath("/ü/模型 🦓.gguf")), QString("/ü/模型 🦓.gguf"));
  EXPECT_EQ(toNativePath(pathFromBytes("/caf\xe9")).native(), "/caf\xe9");
}

}  // namespace
}  // namespace headroom::app
