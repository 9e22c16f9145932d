import { metrics, type Labels, type Readings } from "./metrics/metrics.ts";

/** Counts requests. */
export interface RequestMeter {
  /** @param seconds duration; absent: not measured */
  countRequest(route: string, method: string, status: number, seconds?: number): void;
  collect(): Readings;
}

const limits = metrics.httpDurations.buckets ?? [];
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

interface Durations {
  counts: number[];
  sum: number;
}

/** Works without a client library, which would cost promises and label lookups on every request. */
export function createRequestMeter(): RequestMeter {
  // Keys are route, method and status, which are small sets: a caller's path never becomes a label.
  const requests = new Map<
    string,
    { labels: Labels<"route" | "method" | "status">; count: number; durations: Durations }
  >();
  const byRoute = new Map<string, Durations>();

  function durationsOf(route: string): Durations {
    const known = byRoute.get(route);
    if (known !== undefined) return known;
    const durations = { counts: Array.from({ length: limits.length + 1 }, () => 0), sum: 0 };
    byRoute.set(route, durations);
    return durations;
  }

  function add(durations: Durations, seconds: number): void {
    let bucket = 0;
    while (bucket < limits.length && seconds > limits[bucket]!) bucket += 1;
    durations.counts[bucket]! += 1;
    durations.sum += seconds;
  }

  return {
    countRequest(route, method, status, seconds) {
      const id = `${route} ${method} ${status}`;
      let known = requests.get(id);
      if (known === undefined) {
        if (!methods.has(method)) return;
        known = { labels: { route, method, status }, count: 0, durations: durationsOf(route) };
        requests.set(id, known);
      }
      known.count += 1;
      if (seconds !== undefined) add(known.durations, seconds);
    },
    collect: () => ({
      httpRequests: [...requests.values()].map(({ labels, count }) => [labels, count]),
      httpDurations: [...byRoute]
        .filter(([, { counts }]) => counts.some((count) => count > 0))
        .map(([route, durations]) => [{ route }, durations]),
    }),
  };
}
