#include "standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace headroom {

void openMissingStreams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest free descriptor is this one, as those below are open. All are opened for reading: an output that is
    // not there must refuse what is written, or results would be lost without a word.
    open("/dev/null", O_RDONLY | O_NOCTTY);
  }
}

}  // namespace headroom
