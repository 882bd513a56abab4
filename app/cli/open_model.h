// A model loaded for the subcommands that step it themselves.
#pragma once

#include <memory>

#include "plan_arguments.h"
#include "run/session.h"

namespace headroom::cli {

struct OpenModel {
  PlannedModel planned;
  std::shared_ptr<const LoadedModel> loaded;
};
Result<OpenModel> openModel(const std::string& path, const PlanArguments& arguments, const StopToken& stop);

}  // namespace headroom::cli
