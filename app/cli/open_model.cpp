#include "open_model.h"

#include "kept_kernels.h"
#include "run/load_model.h"

namespace headroom::cli {

Result<OpenModel> openModel(const std::string& path, const PlanArguments& arguments, const StopToken& stop) {
  Result<PlannedModel> planned = planToLoad(path, arguments, stop);
  if (!planned) return planned.error();
  const LoadInputs inputs{planned->info, planned->plan, backendFactory()};
  Result<std::shared_ptr<const LoadedModel>> loaded = load_model(planned->file, inputs, stop, [](Bytes) {});
  if (!loaded) return loaded.error();
  return OpenModel{std::move(*planned), std::move(*loaded)};
}

}  // namespace headroom::cli
