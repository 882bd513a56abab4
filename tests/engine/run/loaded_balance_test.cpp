#include "run/loaded_balance.h"

#include <gtest/gtest.h>

#include "engine/run/engine_fixture.h"

namespace headroom {
namespace {

class LoadedBalanceTest : public testing::Test {
 protected:
  std::shared_ptr<const MemoryPlan> plan(DType keys, KvScheme scheme = KvScheme::kRotated) const {
    PlanOptions options = test::context_of(64);
    options.kv_k = options.kv_v = keys;
    options.kv_scheme = scheme;
    return model_.request(options).plan;
  }
  const test::OnDisk model_;
};

TEST_F(LoadedBalanceTest, is_not_read_for_caches_that_rotate_no_keys) {
  LoadedBalance balance(model_.opened.info, "/no/such/file");
  for (const auto& none : {plan(DType::kF16), plan(DType::kQ8_0, KvScheme::kPlain)}) {
    const auto found = balance.of(*none, nullptr, {});
    ASSERT_TRUE(found.ok()) << found.error().message.text();
    EXPECT_TRUE(found->empty());
  }
  EXPECT_EQ(balance.of(*plan(DType::kQ8_0), nullptr, {}).error().code, ErrorCode::kBadFile) << "it would be read";
}

TEST_F(LoadedBalanceTest, is_read_once_for_those_that_do) {
  LoadedBalance balance(model_.opened.info, "/no/such/file");
  ASSERT_EQ(balance.of(*plan(DType::kQ8_0), &model_.opened.file, {})->size(), 2U) << "one per layer";
  EXPECT_TRUE(balance.of(*plan(DType::kQ4_0), nullptr, {}).ok()) << "and kept";
}

TEST_F(LoadedBalanceTest, can_be_stopped) {
  LoadedBalance balance(model_.opened.info, model_.path);
  StopSource stop;
  stop.request_stop();
  EXPECT_EQ(balance.of(*plan(DType::kQ8_0), nullptr, stop.token()).error().code, ErrorCode::kCancelled);
  EXPECT_TRUE(balance.of(*plan(DType::kQ8_0), nullptr, {}).ok());
}

TEST_F(LoadedBalanceTest, of_a_file_that_was_replaced_is_refused) {
  test::RandomModelSpec other;
  other.d_ff *= 2;
  const test::OnDisk replaced(other);
  LoadedBalance balance(model_.opened.info, replaced.path);
  const auto found = balance.of(*plan(DType::kQ8_0), nullptr, {});
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kBadFile);
}

}  // namespace
}  // namespace headroom
