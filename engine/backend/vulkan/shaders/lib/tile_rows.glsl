// Which rows a tile of kTileRows has: neighbours, or those that chose an expert, as group_experts.comp found them. Before
// it is included: buffers.glsl, panels.glsl, epilogue.glsl, kEpilogue, kThreads, kTileFeatures, kTileRows, kIsOfLogits, kExperts, a
// push constant p as in matmul.comp, and the table of tiles as tiles[].
const uint kUp = 1, kDown = 2;  // of experts, from rows to choices and from choices to choices
// Features of the tile that are of one matrix: of kGate half of them.
const uint kMatrixFeatures = kEpilogue == kGate ? kTileFeatures / 2u : kTileFeatures;

shared uint tile_choices[kTileRows];
uint first_row, n_rows, expert, expert_panel;

uint panels_of_matrix() { return (p.n_out + kPanelRows - 1u) / kPanelRows; }

// All threads of the group call together; false: there is nothing to do.
bool open_tile(uint thread) {
  if (kExperts == 0u) {
    first_row = gl_WorkGroupID.y * kTileRows;
    n_rows = min(kTileRows, (kIsOfLogits != 0u ? step_logit_rows() : step_rows()) - first_row);
    expert = expert_panel = 0u;
    return true;
  }
  const uint at = 4u + 4u * gl_WorkGroupID.y;
  if (gl_WorkGroupID.y >= tiles[0] || tiles[at] < p.first || tiles[at] >= p.last) return false;
  n_rows = tiles[at + 2u];
  expert = tiles[at];
  expert_panel = (expert - p.first) * panels_of_matrix();
  for (uint i = thread; i < kTileRows; i += kThreads)
    tile_choices[i] = tiles[p.choices_at + tiles[at + 1u] + min(i, n_rows - 1u)];
  barrier();
  return true;
}

// Rows of the tile behind its last are that again.
uint row_to_read(uint row) {
  if (kExperts == 0u) return first_row + min(row, n_rows - 1u);
  return kExperts == kUp ? tile_choices[row] / p.n_used : tile_choices[row];
}
uint row_to_write(uint row) { return kExperts == 0u ? first_row + row : tile_choices[row]; }

// The tile's first panel of its matrix, in this window.
uint first_panel() { return gl_WorkGroupID.x * (kMatrixFeatures / kPanelRows); }

// The panel of a feature of the tile, and of which matrix. Behind the last panel it is the last again.
uint tile_panel(uint feature) {
  const uint n_panels = kExperts == 0u ? (p.last - p.first + kPanelRows - 1u) / kPanelRows : panels_of_matrix();
  return expert_panel + min(first_panel() + feature % kMatrixFeatures / kPanelRows, n_panels - 1u);
}
bool is_of_second(uint feature) { return feature >= kMatrixFeatures; }

// The row of the matrix that a feature of the tile is, and where the rows of this window end.
uint matrix_row(uint feature) { return (kExperts == 0u ? p.first : 0u) + first_panel() * kPanelRows + feature; }
uint end_row() { return kExperts == 0u ? p.last : p.n_out; }
