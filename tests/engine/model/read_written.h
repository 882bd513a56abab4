// What the reader makes of a file that a test has written.
#pragma once

#include "file/gguf_writer.h"
#include "file/model_file.h"
#include "model/arch_table.h"
#include "model/model_info.h"
#include "support/random_model.h"
#include "support/temp_folder.h"

namespace headroom::test {

// The file is called m.gguf. `row` in place of the one that its architecture has.
inline Result<ModelInfo> read_written(const GgufWriter& writer, const std::optional<ArchRow>& row = std::nullopt) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "m.gguf";
  if (const Status written = writer.write(path); !written) return written.error();
  const Result<ModelFile> file = open_model_file(path);
  if (!file) return file.error();
  return row ? read_model_info(*file, *row) : read_model_info(*file);
}

inline Result<ModelInfo> read_written(const RandomModelSpec& spec) { return read_written(random_gguf(spec)); }

inline RandomModelSpec small(const std::string& architecture) {
  RandomModelSpec spec;
  spec.architecture = architecture;
  spec.d_model = 64, spec.d_ff = 96, spec.n_ctx_trained = 128;
  return spec;
}

// The whole message of a refusal, without the folder.
inline std::string refusal(const Result<ModelInfo>& model) {
  if (model.ok()) return "no error";
  const std::string& message = model.error().message.text();
  const std::size_t name = message.find("m.gguf");
  return name == std::string::npos ? message : message.substr(name);
}

// An array of flags as it stands in a file: of "011".
inline std::string flags(const std::string& values) {
  std::string bytes(12, '\0');
  bytes[0] = static_cast<char>(GgufType::kBool);
  bytes[4] = static_cast<char>(values.size());
  for (const char value : values) bytes += static_cast<char>(value - '0');
  return bytes;
}

}  // namespace headroom::test
