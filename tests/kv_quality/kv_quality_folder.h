// Where the models and texts of these tests lie.
#pragma once

#include <string>

namespace headroom::test {

inline std::string kv_quality_folder() { return HEADROOM_SOURCE_DIR "/tests/kv_quality/"; }

}  // namespace headroom::test
