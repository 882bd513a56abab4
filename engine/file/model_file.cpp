#include "file/model_file.h"

#include <fmt/format.h>

#include <array>

#include "file/gguf_reader.h"
#include "file/show_name.h"
#include "file/split_name.h"

namespace headroom {
namespace {

using Metadata = std::map<std::string, MetaValue, std::less<>>;

std::optional<std::uint64_t> as_uint(const MetaValue& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value); number != nullptr && *number >= 0)
    return static_cast<std::uint64_t>(*number);
  return std::nullopt;
}

// What a part says of itself; absent keys mean a file of one part.
struct SplitKeys {
  std::uint64_t index = 0, n = 1;
  std::optional<std::uint64_t> n_tensors;
};

Result<SplitKeys> read_split_keys(const InputFile& file, const Metadata& metadata) {
  SplitKeys keys;
  const auto read = [&](std::string_view key) -> Result<std::optional<std::uint64_t>> {
    const auto found = metadata.find(key);
    if (found == metadata.end()) return std::optional<std::uint64_t>{};
    const auto value = as_uint(found->second);
    if (value) return value;
    return Error{ErrorCode::kBadFile, Message::say("{}: metadata '{}': expected an unsigned integer, found {}",
                                                   file.path().string(), key, type_words(found->second))};
  };
  const auto index = read("split.no"), n = read("split.count"), n_tensors = read("split.tensors.count");
  for (const auto* value : {&index, &n, &n_tensors}) {
    if (!*value) return value->error();
  }
  keys.index = index->value_or(0);
  keys.n = n->value_or(1);
  keys.n_tensors = *n_tensors;
  if (keys.n == 0) keys.n = 1;  // written by tools that split nothing
  if (keys.index >= keys.n) {
    return Error{ErrorCode::kBadFile,
                 Message::say("{}: metadata 'split.no' is {}, expected less than 'split.count', {}",
                              file.path().string(), keys.index, keys.n)};
  }
  return keys;
}

struct Part {
  InputFile file;
  GgufHeader header;
  SplitKeys keys;
};

Result<Part> open_part(const std::filesystem::path& path, std::uint32_t index) {
  Result<InputFile> file = InputFile::open(path);
  if (!file) return file.error();
  Result<GgufHeader> header = read_gguf_header(*file, index);
  if (!header) return header.error();
  Result<SplitKeys> keys = read_split_keys(*file, header->metadata);
  if (!keys) return keys.error();
  return Part{*std::move(file), *std::move(header), *keys};
}

Status check_tensor_names(const std::vector<InputFile>& files, const std::vector<TensorInfo>& tensors) {
  std::map<std::string_view, std::uint32_t> seen;
  for (const TensorInfo& tensor : tensors) {
    if (seen.emplace(tensor.name, tensor.part).second) continue;
    return Error{ErrorCode::kBadFile, Message::say("{}: tensor {} stands twice in the model",
                                                   files[tensor.part].path().string(), show_name(tensor.name))};
  }
  return ok_status();
}

Result<ModelFile> join_parts(std::vector<Part> parts) {
  std::vector<InputFile> files;
  std::vector<TensorInfo> tensors;
  const SplitKeys keys = parts.front().keys;
  for (Part& part : parts) {
    files.push_back(std::move(part.file));
    std::move(part.header.tensors.begin(), part.header.tensors.end(), std::back_inserter(tensors));
  }
  if (parts.size() > 1 && keys.n_tensors && *keys.n_tensors != tensors.size()) {
    return Error{ErrorCode::kBadFile,
                 Message::say("{}: metadata 'split.tensors.count' is {}, but the {} parts hold {} tensors",
                              files.front().path().string(), *keys.n_tensors, parts.size(), tensors.size())};
  }
  Status names = check_tensor_names(files, tensors);
  if (!names) return names.error();
  return ModelFile(std::move(files), std::move(parts.front().header.metadata), std::move(tensors));
}

Result<ModelFile> open_split_model(const std::filesystem::path& path, Part opened) {
  const std::optional<SplitName> name = parse_split_name(path);
  if (!name || name->n != opened.keys.n || name->number != opened.keys.index + 1) {
    return Error{ErrorCode::kBadFile,
                 Message::say("{}: holds part {} of {} of a model, expected a name ending in '{}'", path.string(),
                              opened.keys.index + 1, opened.keys.n,
                              fmt::format("-{:05d}-of-{:05d}.gguf", opened.keys.index + 1, opened.keys.n))};
  }
  std::vector<Part> parts;
  for (std::uint32_t number = 1; number <= name->n; ++number) {
    const std::filesystem::path part_path = split_part_path(path, *name, number);
    std::error_code ignored;
    if (!std::filesystem::exists(part_path, ignored)) {
      return Error{ErrorCode::kBadFile, Message::say("{}: part {} of {} is missing: expected {}", path.string(), number,
                                                     name->n, part_path.string())};
    }
    Result<Part> part = open_part(part_path, number - 1);
    if (!part) return part.error();
    if (part->keys.n != name->n || part->keys.index + 1 != number) {
      return Error{ErrorCode::kBadFile,
                   Message::say("{}: expected part {} of {}, found part {} of {} by its metadata", part_path.string(),
                                number, name->n, part->keys.index + 1, part->keys.n)};
    }
    parts.push_back(*std::move(part));
  }
  return join_parts(std::move(parts));
}

}  // namespace

Message type_words(const MetaValue& value) {
  // In the order of MetaValue's alternatives.
  constexpr std::array<Message::Mark, std::variant_size_v<MetaValue>> kWords{
      Message::mark("an unsigned integer"),
      Message::mark("an integer"),
      Message::mark("a number"),
      Message::mark("a boolean"),
      Message::mark("a string"),
      Message::mark("an array of unsigned integers"),
      Message::mark("an array of integers"),
      Message::mark("an array of numbers"),
      Message::mark("an array of booleans"),
      Message::mark("an array of strings")};
  return Message::of(kWords[value.index()]);
}

std::uint64_t TensorInfo::n_elems() const {
  std::uint64_t n = 1;
  for (const std::uint64_t dim : shape) n *= dim;
  return n;
}

ModelFile::ModelFile(std::vector<InputFile> parts, Metadata metadata, std::vector<TensorInfo> tensors)
    : parts_(std::move(parts)), metadata_(std::move(metadata)), tensors_(std::move(tensors)) {
  for (std::uint32_t i = 0; i < tensors_.size(); ++i) by_name_.emplace(tensors_[i].name, i);
}

Bytes ModelFile::n_bytes() const {
  Bytes total = 0;
  for (const InputFile& part : parts_) total += part.n_bytes();
  return total;
}

const TensorInfo* ModelFile::find_tensor(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

const MetaValue* ModelFile::find(std::string_view key) const {
  const auto found = metadata_.find(key);
  return found == metadata_.end() ? nullptr : &found->second;
}

namespace {

Error wrong_value(const ModelFile& file, std::string_view key, const Message& expected, const Message& found) {
  return in_file(
      file, {ErrorCode::kBadFile, Message::say("metadata {}: expected {}, found {}", show_name(key), expected, found)});
}

template <class T>
Result<std::optional<T>> find_typed(const ModelFile& file, std::string_view key, const Message& expected) {
  const MetaValue* value = file.find(key);
  if (value == nullptr) return std::optional<T>{};
  if (const T* typed = std::get_if<T>(value)) return std::optional<T>(*typed);
  return wrong_value(file, key, expected, type_words(*value));
}

}  // namespace

Result<std::optional<std::uint64_t>> ModelFile::find_uint(std::string_view key) const {
  const Message expected = Message::say("an unsigned integer");
  const MetaValue* value = find(key);
  if (value == nullptr) return std::optional<std::uint64_t>{};
  const auto number = as_uint(*value);
  if (number) return number;
  if (const auto* negative = std::get_if<std::int64_t>(value)) {
    return wrong_value(*this, key, expected, Message::say("{}", *negative));
  }
  return wrong_value(*this, key, expected, type_words(*value));
}

Result<std::optional<double>> ModelFile::find_float(std::string_view key) const {
  return find_typed<double>(*this, key, Message::say("a number with a fraction"));
}
Result<std::optional<bool>> ModelFile::find_bool(std::string_view key) const {
  return find_typed<bool>(*this, key, Message::say("a boolean"));
}
Result<std::optional<std::string>> ModelFile::find_string(std::string_view key) const {
  return find_typed<std::string>(*this, key, Message::say("a string"));
}

Status ModelFile::read_tensor(const TensorInfo& tensor, Bytes from, std::span<std::byte> out) const {
  const std::optional<Bytes> end = checked_add(from, out.size());
  CHECK(end && *end <= tensor.n_bytes, "a read beyond its tensor");
  return parts_[tensor.part].read_at(tensor.offset + from, out);
}

Error in_file(const ModelFile& file, const Error& error) {
  return {error.code, error.message.said_of(file.path().string())};
}

Result<ModelFile> open_model_file(const std::filesystem::path& path) {
  Result<Part> part = open_part(path, 0);
  if (!part) return part.error();
  if (part->keys.n > 1) return open_split_model(path, *std::move(part));
  std::vector<Part> parts;
  parts.push_back(*std::move(part));
  return join_parts(std::move(parts));
}

}  // namespace headroom
