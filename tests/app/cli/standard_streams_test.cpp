#include "standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace headroom {
namespace {

bool isNull(int descriptor) {
  struct stat open {
  }, null{};
  return fstat(descriptor, &open) == 0 && stat("/dev/null", &null) == 0 && open.st_rdev == null.st_rdev;
}

// In a process of its own: 0 when the descriptors that were closed are /dev/null afterwards and the others are not.
int whatRemains(const std::vector<int>& closed) {
  for (const int descriptor : closed) close(descriptor);
  const std::vector<bool> wasNull{isNull(0), isNull(1), isNull(2)};
  openMissingStreams();
  for (const int descriptor : closed) {
    if (!isNull(descriptor)) return 1;
    if (descriptor > 0 && write(descriptor, "x", 1) != -1) return 2;  // results must not vanish without a word
  }
  char byte = 0;
  if (!closed.empty() && closed.front() == 0 && read(0, &byte, 1) != 0) return 3;
  const int next = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (wasNull[static_cast<std::size_t>(descriptor)] != isNull(descriptor) &&
        std::find(closed.begin(), closed.end(), descriptor) == closed.end())
      return 4;
  }
  return next > 2 ? 0 : 5;
}

TEST(StandardStreamsDeathTest, closed_ones_become_null_and_no_file_takes_their_place) {
  for (const std::vector<int>& closed : {std::vector<int>{}, {0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}})
    EXPECT_EXIT(_exit(whatRemains(closed)), testing::ExitedWithCode(0), "") << testing::PrintToString(closed);
}

}  // namespace
}  // namespace headroom
