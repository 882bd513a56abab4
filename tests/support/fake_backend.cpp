#include "support/fake_backend.h"

#include "plan/device_rules.h"

namespace headroom::fake {

std::shared_ptr<const ModelInfo> make_info(const Setup& setup) {
  auto info = std::make_shared<ModelInfo>();
  info->name = info->architecture = "fake";
  info->n_vocab = kVocab;
  info->d_model = 32;
  LayerSpec layer;
  layer.n_heads = layer.n_kv_heads = 1;
  layer.head_dim = 32;
  layer.d_ff = 32;
  layer.attention = setup.window > 0 ? AttentionKind::kWindow : AttentionKind::kFull;
  layer.window = setup.window;
  info->layers = {layer};
  return info;
}

std::shared_ptr<const MemoryPlan> make_plan(const Setup& setup) {
  auto plan = std::make_shared<MemoryPlan>();
  plan->devices.resize(1);
  plan->devices[0].id = plan->devices[0].name = "cpu";
  plan->options.n_ctx = setup.n_ctx;
  plan->options.n_slots = setup.n_slots;
  plan->options.n_batch = setup.n_batch;
  plan->options.n_logit_rows = setup.n_slots;
  plan->program.max_rows = std::max(setup.n_batch, setup.n_slots);
  plan->program.max_logit_rows = setup.n_slots;
  plan->program.ops = {{OpKind::kLogits, -1, 0, {}, {0}}};
  plan->program.buffers = {{.name = "logits", .row_elems = kVocab}};
  plan->placement.layers = {{0, 0}};
  const Bytes sampler = sampler_layout(*make_info(setup), plan->options).total();
  const Bytes tokens = slot_token_bytes(plan->options);
  const Bytes kv = Bytes{setup.n_ctx} * setup.n_slots * 64;
  ArenaPlan weights{.lifetime = Lifetime::kModel, .size = 4096, .regions = {}};
  ArenaPlan session{.lifetime = Lifetime::kSession, .size = kv + sampler + tokens, .regions = {}};
  session.regions.push_back({0, RegionKind::kKv, 0, "k", DType::kF16, 0, kv, -1, KvPart::kKeys});
  session.regions.push_back({1, RegionKind::kSampler, -1, "sampler", DType::kF32, kv, sampler, -1, KvPart::kNone});
  session.regions.push_back(
      {2, RegionKind::kTokens, -1, "tokens", DType::kF32, kv + sampler, tokens, -1, KvPart::kNone});
  plan->arenas = {weights, session};
  return plan;
}

std::shared_ptr<const LoadedModel> make_loaded(const Setup& setup, Machine& machine) {
  auto model = std::make_shared<LoadedModel>();
  model->info = make_info(setup);
  model->plan = make_plan(setup);
  model->backends = {std::make_shared<FakeBackend>(model->plan->devices[0], machine)};
  model->tokenizer = std::make_shared<CharTokenizer>();
  std::map<std::string, MetaValue, std::less<>> metadata;
  if (!setup.chat_template.empty()) metadata["tokenizer.chat_template"] = setup.chat_template;
  model->chat_prompt =
      std::make_shared<const ChatPromptWriter>(ChatPromptWriter::read(ModelFile({}, metadata, {}), *model->tokenizer));
  model->template_problem = model->chat_prompt->problem();
  model->arenas.push_back(std::move(*model->backends[0]->map_arena(model->plan->arenas[0])));
  model->arenas.push_back(nullptr);
  return model;
}

}  // namespace headroom::fake
