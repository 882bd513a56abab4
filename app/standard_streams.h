// What both programs do before they open anything.
#pragma once

namespace headroom {

// Gives a program that was started with descriptors 0, 1 or 2 closed (`<&-`) /dev/null in their place. Without it the
// first file that it opens becomes its input or output, and a model is then read as messages. What is missing cannot be
// used: an input is at its end, and writing to an output fails. Call it first in main().
void openMissingStreams();

}  // namespace headroom
