// The backends of the command line.
#pragma once

#include "backend/backend.h"

namespace headroom::cli {

// Those of the registry; what drivers make of our kernels is kept in the data folder, if the system names one.
BackendFactory backendFactory();

}  // namespace headroom::cli
