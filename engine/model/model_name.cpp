#include "model/model_name.h"

#include "file/show_name.h"
#include "file/split_name.h"

namespace headroom {

std::string name_of_file(const ModelFile& file) {
  const auto split = parse_split_name(file.path());
  return displayable(split ? split->prefix : file.path().stem().string());
}

Result<std::string> read_model_name(const ModelFile& file) {
  const auto stated = file.find_string("general.name");
  if (!stated) return stated.error();
  std::string name = displayable(stated->value_or(""));
  return name.empty() ? name_of_file(file) : name;
}

}  // namespace headroom
