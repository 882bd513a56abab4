#include "backend/check_copy.h"

namespace headroom {

Status check_copy(const CopySide& side, BufferId buffer, std::uint32_t first_row, Bytes n_bytes) {
  const Program& program = side.program;
  if (buffer >= program.buffers.size() || program.buffers[buffer].device != side.device) {
    return Error{ErrorCode::kUsage,
                 Message::say("{}: buffer {} is not on this device, or not in the program", side.id, buffer)};
  }
  const Buffer& found = program.buffers[buffer];
  const Bytes most = Bytes{buffer == program.logits ? program.max_logit_rows : program.max_rows} * found.row_bytes(),
              last = first_row * found.row_bytes() + n_bytes;
  if (last > most) {
    return Error{ErrorCode::kUsage, Message::say("{}: expected at most {} bytes of buffer {} ({}), found {}", side.id,
                                                 most, buffer, found.name, last)};
  }
  return ok_status();
}

}  // namespace headroom
