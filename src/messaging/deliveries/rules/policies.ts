import { extended, type RetryPolicy } from "./retry-schedule.ts";

/** Returns the present policy of each channel, and the longest one. All agree as far as the shorter ones go. */
export function policiesOf(
  channels: readonly { kind: string; retriesForMs?: number }[],
  settings: { readonly retryDelaysMs: readonly number[]; readonly retryJitter: number },
): { longest: () => RetryPolicy; policyOf: (kind: string) => RetryPolicy } {
  let known: { usual: RetryPolicy; policies: Map<string, RetryPolicy> } | undefined;
  const present = () => {
    const { retryDelaysMs: delaysMs, retryJitter: jitter } = settings;
    if (known?.usual.delaysMs === delaysMs && known.usual.jitter === jitter) return known;
    const usual: RetryPolicy = { delaysMs, jitter };
    const policies = new Map(
      channels.map(({ kind, retriesForMs = 0 }) => [kind, extended(usual, retriesForMs)]),
    );
    return (known = { usual, policies });
  };
  return {
    longest() {
      const { usual, policies } = present();
      return [...policies.values()].reduce(
        (first, second) => (second.delaysMs.length > first.delaysMs.length ? second : first),
        usual,
      );
    },
    policyOf(kind) {
      const { usual, policies } = present();
      return policies.get(kind) ?? usual;
    },
  };
}
