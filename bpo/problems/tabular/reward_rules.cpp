#include "bpo/problems/tabular/reward_rules.h"

#include <algorithm>

namespace bpo {

void RewardRules::finish() {
  std::array<Kind, 16> kinds;
  for (const Rule& rule : rules_) {
    int kind = 0;
    for (int i = 0; i < 4; ++i) kind |= (rule.step[i] != kAny) << i;
    kinds[kind].rules.push_back(rule);
  }
  rules_ = {};
  for (int k = 0; k < 16; ++k) {
    Kind& kind = kinds[k];
    if (kind.rules.empty()) continue;
    for (int i = 0; i < 4; ++i) {
      kind.named[i] = (k >> i & 1) != 0;
      names_[i] = names_[i] || kind.named[i];
    }
    // The last of equals comes first and stays.
    std::sort(kind.rules.begin(), kind.rules.end(), [](const Rule& a, const Rule& b) {
      return a.step != b.step ? a.step < b.step : a.order > b.order;
    });
    const auto same = [](const Rule& a, const Rule& b) { return a.step == b.step; };
    kind.rules.erase(std::unique(kind.rules.begin(), kind.rules.end(), same), kind.rules.end());
    kinds_.push_back(std::move(kind));
  }
}

double RewardRules::reward(const Step& step) const {
  const Rule* last = nullptr;
  for (const Kind& kind : kinds_) {
    Step key;
    for (int i = 0; i < 4; ++i) key[i] = kind.named[i] ? step[i] : kAny;
    const auto at =
        std::lower_bound(kind.rules.begin(), kind.rules.end(), key,
                         [](const Rule& rule, const Step& wanted) { return rule.step < wanted; });
    if (at == kind.rules.end() || at->step != key) continue;
    if (last == nullptr || at->order > last->order) last = &*at;
  }
  return last == nullptr ? 0.0 : last->value;
}

}  // namespace bpo
