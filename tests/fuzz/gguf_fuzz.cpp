// Whatever the bytes of a model file are: header, model and tokenizer come out as values or as one error each.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "file/header_extent.h"
#include "file/model_file.h"
#include "model/model_info.h"
#include "model/weight_layout.h"
#include "text/tokenizer.h"

namespace {

void check_error(const headroom::Error& error) {
  using headroom::ErrorCode;
  CHECK(error.code == ErrorCode::kBadFile || error.code == ErrorCode::kUnsupported, error.message.text().c_str());
  CHECK(!error.message.text().empty(), "an error says nothing");
}

// What was accepted must be usable: every tensor can be read where the header says it is.
void read_first_and_last_bytes(const headroom::ModelFile& file) {
  for (const headroom::TensorInfo& tensor : file.tensors()) {
    std::byte byte{};
    CHECK(file.read_tensor(tensor, 0, std::span(&byte, 1)).ok(), tensor.name.c_str());
    CHECK(file.read_tensor(tensor, tensor.n_bytes - 1, std::span(&byte, 1)).ok(), tensor.name.c_str());
  }
}

void read_all(const std::string& path) {
  const auto file = headroom::open_model_file(path);
  if (!file) return check_error(file.error());
  read_first_and_last_bytes(*file);
  const auto model = headroom::read_model_info(*file);
  if (!model) check_error(model.error());
  if (model) {
    headroom::Bytes bytes = 0;
    for (const headroom::WeightTensor& weight : model->weights)
      bytes += headroom::weight_bytes(weight, headroom::WeightLayout::kPanels);
    for (const headroom::RopeSpec& rope : model->ropes) bytes += headroom::rope_frequencies(rope).per_pair.size();
    CHECK(bytes > 0, "a model without weights was accepted");
  }
  const auto tokenizer = headroom::read_tokenizer(*file);
  if (!tokenizer) return check_error(tokenizer.error());
  const auto ids = (*tokenizer)->encode("The <s> answer<|im_end|> is 42.\n\xF0\x9F\x99\x82", true, true);
  (void)(*tokenizer)->decode(ids, true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n_bytes) {
  const int descriptor = memfd_create("input", MFD_CLOEXEC);  // a file without a disk
  CHECK(descriptor >= 0 && write(descriptor, data, n_bytes) == static_cast<ssize_t>(n_bytes),
        "the input cannot be written");
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  read_all(path);
  // What the reader takes, the quicker look at its header takes as well.
  const auto extent = headroom::header_extent(std::as_bytes(std::span(data, n_bytes)));
  CHECK(!headroom::open_model_file(path).ok() || (extent.ok() && extent->has_value()),
        "a header that can be read has no end");
  close(descriptor);
  return 0;
}
