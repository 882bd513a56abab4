#include "file/gguf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "file/gguf_types.h"
#include "file/header_cursor.h"
#include "file/show_name.h"
#include "format/dtype_table.h"
#include "format/ggml_types.h"

namespace headroom {
namespace {

constexpr std::uint32_t kMaxDims = 4;
constexpr std::size_t kMaxNameBytes = 1024;  // of a key or a tensor; the specification allows 65,535 and 64
// Smallest possible entries, to hold counts against the bytes that are left: key length, type, one byte of value; name
// length, dims, type, offset.
constexpr Bytes kMinMetadataBytes = 8 + 1 + 4 + 1, kMinTensorBytes = 8 + 1 + 4 + 4 + 8;

struct KnownStart {
  std::string_view bytes;
  Message::Mark meaning;
};
constexpr std::array kKnownStarts{
    KnownStart{std::string_view("PK\x03\x04", 4), Message::mark("a zip archive (a PyTorch checkpoint?)")},
    KnownStart{std::string_view("\x80\x02", 2), Message::mark("a pickled PyTorch checkpoint")},
    KnownStart{"lmgg", Message::mark("a GGML file from before GGUF")},
    KnownStart{"tjgg", Message::mark("a GGML file from before GGUF")},
    KnownStart{"fmgg", Message::mark("a GGML file from before GGUF")},
    KnownStart{std::string_view("\x1f\x8b", 2), Message::mark("a gzip archive")},
    KnownStart{"vers", Message::mark("a text file (a Git LFS pointer instead of the model?)")},
    KnownStart{"<!DO", Message::mark("a web page")},
    KnownStart{"<htm", Message::mark("a web page")},
    KnownStart{"\x7f"
               "ELF",
               Message::mark("a program")},
};

Message guess_kind(std::string_view start) {
  for (const KnownStart& known : kKnownStarts) {
    if (start.starts_with(known.bytes)) return Message::of(known.meaning);
  }
  // safetensors: the length of the JSON header as 64 bits, then the JSON.
  if (start.size() > 8 && start[8] == '{') return Message::say("a safetensors file");
  const bool is_text = std::all_of(start.begin(), start.end(), [](char c) {
    return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\r' || c == '\t';
  });
  return is_text ? Message::say("a text file") : Message::say("a file of an unknown kind");
}

Status check_magic(const InputFile& file) {
  std::array<char, 16> start{};
  const std::size_t n = std::min<Bytes>(start.size(), file.n_bytes());
  Status read = file.read_at(0, std::as_writable_bytes(std::span(start).first(n)));
  if (!read) return read;
  const std::string_view found(start.data(), n);
  if (found.starts_with(kGgufMagic)) return ok_status();
  return Error{
      ErrorCode::kBadFile,
      Message::say("{}: not a GGUF file: begins with {}, expected 'GGUF'; it looks like {}", file.path().string(),
                   show_name(found.substr(0, 4)), n < 4 ? Message::say("a cut-off file") : guess_kind(found))};
}

class GgufReader {
 public:
  GgufReader(const InputFile& file, std::uint32_t part) : file_(file), part_(part), cursor_(file, kMaxHeaderBytes) {}

  Result<GgufHeader> read() {
    read_counts();
    for (std::uint64_t i = 0; i < n_metadata_ && !cursor_.failed(); ++i) read_metadata(i);
    if (!cursor_.failed()) read_alignment();
    for (std::uint64_t i = 0; i < n_tensors_ && !cursor_.failed(); ++i) read_tensor(i);
    if (!cursor_.failed()) place_tensors();
    if (cursor_.failed()) return cursor_.take_error();
    return std::move(header_);
  }

 private:
  void bad(const Message& message) { cursor_.fail(ErrorCode::kBadFile, message); }
  void unsupported(const Message& message) { cursor_.fail(ErrorCode::kUnsupported, message); }

  void read_counts() {
    cursor_.set_context(Message::say("GGUF header"));
    cursor_.read_number<std::uint32_t>(Message::say("the magic"));
    header_.version = cursor_.read_number<std::uint32_t>(Message::say("the version"));
    if (cursor_.failed()) return;
    if (header_.version == 1) {
      return unsupported(Message::say("version 1 is too old, expected {} or {}: convert the model again",
                                      kGgufOldestVersion, kGgufNewestVersion));
    }
    if (const std::uint32_t swapped = __builtin_bswap32(header_.version);
        swapped >= 1 && swapped <= kGgufNewestVersion) {
      return unsupported(
          Message::say("version {} in big-endian byte order; only little-endian files can be read", swapped));
    }
    if (header_.version < kGgufOldestVersion || header_.version > kGgufNewestVersion) {
      return unsupported(
          Message::say("version {}, expected {} or {}", header_.version, kGgufOldestVersion, kGgufNewestVersion));
    }
    n_tensors_ = cursor_.read_number<std::uint64_t>(Message::say("the tensor count"));
    n_metadata_ = cursor_.read_number<std::uint64_t>(Message::say("the metadata count"));
    if (cursor_.failed()) return;
    check_count(Message::say("metadata entries"), n_metadata_, kMinMetadataBytes, kMaxMetadata);
    check_count(Message::say("tensors"), n_tensors_, kMinTensorBytes, kMaxTensors);
  }

  void check_count(const Message& what, std::uint64_t n, Bytes min_bytes_each, std::uint64_t max) {
    const std::uint64_t possible = cursor_.remaining() / min_bytes_each;
    if (n > possible)
      bad(Message::say("claims {} {}, the {} bytes that follow hold at most {}", n, what, cursor_.remaining(),
                       possible));
    if (n > max) bad(Message::say("claims {} {}, at most {} are accepted", n, what, max));
  }

  std::string read_name(const Message& what) {
    std::string name = cursor_.read_string(what);
    if (cursor_.failed()) return {};
    if (name.empty()) bad(Message::say("{} is empty", what));
    if (name.size() > kMaxNameBytes)
      bad(Message::say("{} has {} bytes, at most {} are accepted", what, name.size(), kMaxNameBytes));
    if (!is_printable_ascii(name)) bad(Message::say("{} {} is not printable ASCII", what, show_name(name)));
    return name;
  }

  void read_metadata(std::uint64_t index) {
    cursor_.set_context(Message::say("metadata {} of {}", index + 1, n_metadata_));
    std::string key = read_name(Message::say("the key"));
    if (cursor_.failed()) return;
    cursor_.set_context(Message::say("metadata {}", show_name(key)));
    const auto type = static_cast<GgufType>(cursor_.read_number<std::uint32_t>(Message::say("the value type")));
    MetaValue value = type == GgufType::kArray ? read_array() : read_scalar(type);
    if (cursor_.failed()) return;
    if (!header_.metadata.emplace(std::move(key), std::move(value)).second)
      bad(Message::say("the key stands twice in the file"));
  }

  MetaValue read_scalar(GgufType type) {
    const Message kWhat = Message::say("the value");
    switch (type) {
      case GgufType::kU8: return std::uint64_t{cursor_.read_number<std::uint8_t>(kWhat)};
      case GgufType::kI8: return std::int64_t{cursor_.read_number<std::int8_t>(kWhat)};
      case GgufType::kU16: return std::uint64_t{cursor_.read_number<std::uint16_t>(kWhat)};
      case GgufType::kI16: return std::int64_t{cursor_.read_number<std::int16_t>(kWhat)};
      case GgufType::kU32: return std::uint64_t{cursor_.read_number<std::uint32_t>(kWhat)};
      case GgufType::kI32: return std::int64_t{cursor_.read_number<std::int32_t>(kWhat)};
      case GgufType::kU64: return cursor_.read_number<std::uint64_t>(kWhat);
      case GgufType::kI64: return cursor_.read_number<std::int64_t>(kWhat);
      case GgufType::kF32: return static_cast<double>(cursor_.read_number<float>(kWhat));
      case GgufType::kF64: return cursor_.read_number<double>(kWhat);
      case GgufType::kBool: return read_bool() != 0;
      case GgufType::kString: return cursor_.read_string(kWhat);
      case GgufType::kArray: break;
    }
    if (!cursor_.failed())
      unsupported(Message::say("value type {} is not known, expected 0 to 12", static_cast<std::uint32_t>(type)));
    return std::uint64_t{0};
  }

  std::uint8_t read_bool() {
    const auto value = cursor_.read_number<std::uint8_t>(boolean_);
    if (value > 1) bad(Message::say("a boolean is {}, expected 0 or 1", value));
    return value;
  }

  // Elements of file type `File`, kept as `Kept`.
  template <class Kept, class File>
  MetaValue read_numbers(std::uint64_t n) {
    std::vector<Kept> values;
    values.reserve(n);
    for (std::uint64_t i = 0; i < n && !cursor_.failed(); ++i)
      values.push_back(static_cast<Kept>(cursor_.read_number<File>(element_)));
    return values;
  }

  MetaValue read_array() {
    const auto type = static_cast<GgufType>(cursor_.read_number<std::uint32_t>(Message::say("the element type")));
    const auto n = cursor_.read_number<std::uint64_t>(Message::say("the element count"));
    if (cursor_.failed()) return std::uint64_t{0};
    const Bytes min_bytes = min_element_bytes(type);
    if (min_bytes == 0) return std::uint64_t{0};
    if (n > cursor_.remaining() / min_bytes) {
      bad(Message::say("claims an array of {} elements, {} bytes are left in the header", n, cursor_.remaining()));
      return std::uint64_t{0};
    }
    n_array_elems_ += n;
    if (n_array_elems_ > kMaxArrayElems) {
      bad(Message::say("the metadata arrays have {} or more elements together, at most {} are accepted", n_array_elems_,
                       kMaxArrayElems));
      return std::uint64_t{0};
    }
    return read_elements(type, n);
  }

  Bytes min_element_bytes(GgufType type) {
    if (type == GgufType::kString) return sizeof(std::uint64_t);  // its length
    if (const Bytes n_bytes = scalar_bytes(type); n_bytes > 0) return n_bytes;
    if (type == GgufType::kArray) {
      unsupported(Message::say("an array of arrays"));
    } else {
      unsupported(Message::say("element type {} is not known, expected 0 to 12", static_cast<std::uint32_t>(type)));
    }
    return 0;
  }

  MetaValue read_elements(GgufType type, std::uint64_t n) {
    switch (type) {
      case GgufType::kU8: return read_numbers<std::uint64_t, std::uint8_t>(n);
      case GgufType::kI8: return read_numbers<std::int64_t, std::int8_t>(n);
      case GgufType::kU16: return read_numbers<std::uint64_t, std::uint16_t>(n);
      case GgufType::kI16: return read_numbers<std::int64_t, std::int16_t>(n);
      case GgufType::kU32: return read_numbers<std::uint64_t, std::uint32_t>(n);
      case GgufType::kI32: return read_numbers<std::int64_t, std::int32_t>(n);
      case GgufType::kU64: return read_numbers<std::uint64_t, std::uint64_t>(n);
      case GgufType::kI64: return read_numbers<std::int64_t, std::int64_t>(n);
      case GgufType::kF32: return read_numbers<double, float>(n);
      case GgufType::kF64: return read_numbers<double, double>(n);
      case GgufType::kBool: {
        std::vector<std::uint8_t> values;
        values.reserve(n);
        for (std::uint64_t i = 0; i < n && !cursor_.failed(); ++i) values.push_back(read_bool());
        return values;
      }
      case GgufType::kString: {
        std::vector<std::string> values;
        values.reserve(n);
        for (std::uint64_t i = 0; i < n && !cursor_.failed(); ++i) values.push_back(cursor_.read_string(element_));
        return values;
      }
      case GgufType::kArray: break;
    }
    return std::uint64_t{0};
  }

  void read_alignment() {
    const auto found = header_.metadata.find("general.alignment");
    if (found == header_.metadata.end()) return;
    cursor_.set_context(Message::say("metadata 'general.alignment'"));
    const auto* value = std::get_if<std::uint64_t>(&found->second);
    if (value == nullptr) return bad(Message::say("expected an unsigned integer, found {}", type_words(found->second)));
    if (*value == 0 || (*value & (*value - 1)) != 0 || *value > kMaxHeaderBytes) {
      return bad(Message::say("expected a power of two up to {}, found {}", kMaxHeaderBytes, *value));
    }
    alignment_ = *value;
  }

  void read_tensor(std::uint64_t index) {
    cursor_.set_context(Message::say("tensor {} of {}", index + 1, n_tensors_));
    TensorInfo tensor;
    tensor.part = part_;
    tensor.name = read_name(Message::say("the name"));
    if (cursor_.failed()) return;
    cursor_.set_context(Message::say("tensor {}", show_name(tensor.name)));
    const auto n_dims = cursor_.read_number<std::uint32_t>(Message::say("the number of dimensions"));
    if (n_dims > kMaxDims) return bad(Message::say("{} dimensions, at most {} are possible", n_dims, kMaxDims));
    for (std::uint32_t i = 0; i < n_dims; ++i)
      tensor.shape.push_back(cursor_.read_number<std::uint64_t>(Message::say("a dimension")));
    if (n_dims == 0) tensor.shape.push_back(1);  // a scalar
    tensor.file_type = cursor_.read_number<std::uint32_t>(Message::say("the type"));
    tensor.offset = cursor_.read_number<std::uint64_t>(Message::say("the offset"));
    if (!cursor_.failed()) size_tensor(tensor);
    if (!cursor_.failed()) header_.tensors.push_back(std::move(tensor));
  }

  void size_tensor(TensorInfo& tensor) {
    const GgmlTypeRow* type = find_ggml_type(tensor.file_type);
    if (type == nullptr) return unsupported(Message::say("type {} is not known to this version", tensor.file_type));
    if (type->block_elems == 0)
      return unsupported(Message::say("type {} was withdrawn from the format: convert the model again", type->name));
    tensor.type_name = type->name;
    tensor.dtype = dtype_from_gguf(tensor.file_type);
    std::uint64_t n_elems = 1;
    for (const std::uint64_t dim : tensor.shape) {
      if (dim == 0) return bad(Message::say("a dimension is 0"));
      const auto product = checked_mul(n_elems, dim);
      if (!product || *product > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
        return bad(Message::say("shape ({}) has more elements than 63 bits can count",
                                fmt::format("{}", fmt::join(tensor.shape, ", "))));
      }
      n_elems = *product;
    }
    if (tensor.shape[0] % type->block_elems != 0) {
      return bad(Message::say("rows of {} elements are no multiple of the {} in a block of {}", tensor.shape[0],
                              type->block_elems, type->name));
    }
    const auto n_bytes = checked_mul(n_elems / type->block_elems, type->block_bytes);
    if (!n_bytes)
      return bad(Message::say("shape ({}) takes more bytes than 64 bits can count",
                              fmt::format("{}", fmt::join(tensor.shape, ", "))));
    tensor.n_bytes = *n_bytes;
  }

  // Offsets become absolute; every tensor lies in the file and none on another.
  void place_tensors() {
    const Bytes data_begin = round_up(cursor_.position(), alignment_);
    for (TensorInfo& tensor : header_.tensors) {
      cursor_.set_context(Message::say("tensor {}", show_name(tensor.name)));
      if (tensor.offset % alignment_ != 0)
        return bad(Message::say("offset {} is no multiple of the alignment {}", tensor.offset, alignment_));
      const auto begin = checked_add(data_begin, tensor.offset);
      const auto end = begin ? checked_add(*begin, tensor.n_bytes) : std::nullopt;
      if (!end || *end > file_.n_bytes()) {
        return bad(Message::say("{} bytes at offset {} end beyond the file of {} bytes (an unfinished download?)",
                                tensor.n_bytes, tensor.offset, file_.n_bytes()));
      }
      tensor.offset = *begin;
    }
    std::vector<std::uint32_t> order(header_.tensors.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return header_.tensors[a].offset < header_.tensors[b].offset; });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const TensorInfo &first = header_.tensors[order[i - 1]], &second = header_.tensors[order[i]];
      if (first.offset + first.n_bytes <= second.offset) continue;
      cursor_.set_context(Message::say("tensor {}", show_name(second.name)));
      return bad(Message::say("its data at byte {} overlaps tensor {}, which ends at byte {}", second.offset,
                              show_name(first.name), first.offset + first.n_bytes));
    }
  }

  const InputFile& file_;
  const std::uint32_t part_;
  HeaderCursor cursor_;
  GgufHeader header_;
  std::uint64_t n_tensors_ = 0, n_metadata_ = 0, n_array_elems_ = 0;
  // What is read a million times.
  const Message element_ = Message::say("an array element"), boolean_ = Message::say("a boolean");
  Bytes alignment_ = kGgufDefaultAlignment;
};

}  // namespace

Result<GgufHeader> read_gguf_header(const InputFile& file, std::uint32_t part) {
  Status magic = check_magic(file);
  if (!magic) return magic.error();
  return GgufReader(file, part).read();
}

}  // namespace headroom
