#include "file/gguf_writer.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace headroom {
namespace {

template <class T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void put_string(std::string& out, std::string_view text) {
  put(out, std::uint64_t{text.size()});
  out += text;
}

template <class T>
std::string value_bytes(T value) {
  std::string out;
  put(out, value);
  return out;
}

template <class T>
std::string array_bytes(GgufType type, const std::vector<T>& values) {
  std::string out;
  put(out, static_cast<std::uint32_t>(type));
  put(out, std::uint64_t{values.size()});
  for (const T& value : values) {
    if constexpr (std::is_same_v<T, std::string>) {
      put_string(out, value);
    } else {
      put(out, value);
    }
  }
  return out;
}

}  // namespace

void GgufWriter::set_raw(std::string_view key, GgufType type, std::string_view value) {
  put_string(metadata_, key);
  put(metadata_, static_cast<std::uint32_t>(type));
  metadata_ += value;
  ++n_metadata_;
}

void GgufWriter::set_uint(std::string_view key, std::uint32_t value) {
  set_raw(key, GgufType::kU32, value_bytes(value));
}
void GgufWriter::set_uint64(std::string_view key, std::uint64_t value) {
  set_raw(key, GgufType::kU64, value_bytes(value));
}
void GgufWriter::set_float(std::string_view key, float value) { set_raw(key, GgufType::kF32, value_bytes(value)); }
void GgufWriter::set_bool(std::string_view key, bool value) {
  set_raw(key, GgufType::kBool, value_bytes(static_cast<std::uint8_t>(value)));
}
void GgufWriter::set_string(std::string_view key, std::string_view value) {
  std::string bytes;
  put_string(bytes, value);
  set_raw(key, GgufType::kString, bytes);
}
void GgufWriter::set_uints(std::string_view key, const std::vector<std::uint32_t>& values) {
  set_raw(key, GgufType::kArray, array_bytes(GgufType::kU32, values));
}
void GgufWriter::set_ints(std::string_view key, const std::vector<std::int32_t>& values) {
  set_raw(key, GgufType::kArray, array_bytes(GgufType::kI32, values));
}
void GgufWriter::set_floats(std::string_view key, const std::vector<float>& values) {
  set_raw(key, GgufType::kArray, array_bytes(GgufType::kF32, values));
}
void GgufWriter::set_strings(std::string_view key, const std::vector<std::string>& values) {
  set_raw(key, GgufType::kArray, array_bytes(GgufType::kString, values));
}

void GgufWriter::add_tensor(std::string_view name, std::uint32_t file_type, const std::vector<std::uint64_t>& shape,
                            std::vector<std::byte> bytes) {
  const Bytes n_bytes = bytes.size();
  tensors_.push_back({std::string(name), file_type, shape, std::move(bytes), n_bytes});
}

void GgufWriter::add_hole(std::string_view name, std::uint32_t file_type, const std::vector<std::uint64_t>& shape,
                          Bytes n_bytes) {
  tensors_.push_back({std::string(name), file_type, shape, {}, n_bytes});
}

std::string GgufWriter::header_bytes() const {
  std::string out(kGgufMagic);
  put(out, version_);
  put(out, std::uint64_t{tensors_.size()});
  const bool states_alignment = alignment_ != kGgufDefaultAlignment;
  put(out, n_metadata_ + (states_alignment ? 1 : 0));
  out += metadata_;
  if (states_alignment) {
    put_string(out, "general.alignment");
    put(out, static_cast<std::uint32_t>(GgufType::kU32));
    put(out, alignment_);
  }
  Bytes offset = 0;
  for (const Tensor& tensor : tensors_) {
    put_string(out, tensor.name);
    put(out, static_cast<std::uint32_t>(tensor.shape.size()));
    for (const std::uint64_t dim : tensor.shape) put(out, dim);
    put(out, tensor.file_type);
    put(out, offset);
    offset += round_up(tensor.n_bytes, alignment_);
  }
  out.resize(round_up(out.size(), alignment_));
  return out;
}

Status GgufWriter::write(const std::filesystem::path& path) const {
  const std::string header = header_bytes();
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(header.data(), static_cast<std::streamsize>(header.size()));
  Bytes offset = header.size();
  for (const Tensor& tensor : tensors_) {
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(reinterpret_cast<const char*>(tensor.bytes.data()), static_cast<std::streamsize>(tensor.bytes.size()));
    offset += round_up(tensor.n_bytes, alignment_);
  }
  file.close();
  std::error_code resize_error;
  if (!file.fail()) std::filesystem::resize_file(path, offset, resize_error);  // the last padding, and holes
  if (!file.fail() && !resize_error) return ok_status();
  return Error{ErrorCode::kResource,
               Message::say("{}: cannot be written: {}", path.string(),
                            resize_error ? resize_error.message() : std::string(std::strerror(errno)))};
}

}  // namespace headroom
