import { quantile } from "../statistics.ts";
import { apiKey } from "./instance.ts";

const requestsPerSecond = 100;

/** Requests that are sent one after another, at regular times. */
export interface ApiLatency {
  /** Measures for this long. Later requests are sent at once if earlier ones took too long. */
  measure(durationMs: number): Promise<Figures>;
}

export interface Figures {
  p50Ms: number;
  p99Ms: number;
  requests: number;
}

/** @param paths requested in turn */
export function createApiLatency(url: string, paths: () => readonly string[]): ApiLatency {
  const headers = { authorization: `Bearer ${apiKey}` };
  return {
    async measure(durationMs) {
      const startedAt = performance.now();
      const times: number[] = [];
      const requested = paths();
      for (let index = 0; ; index++) {
        const dueAt = startedAt + (index * 1_000) / requestsPerSecond;
        if (dueAt - startedAt >= durationMs) break;
        const waitMs = dueAt - performance.now();
        if (waitMs > 0) await Bun.sleep(waitMs);
        const sentAt = performance.now();
        const response = await fetch(`${url}${requested[index % requested.length]}`, { headers });
        await response.bytes();
        times.push(performance.now() - sentAt);
        if (response.status !== 200) throw new Error(`a request returned ${response.status}`);
      }
      times.sort((a, b) => a - b);
      return { p50Ms: quantile(times, 0.5), p99Ms: quantile(times, 0.99), requests: times.length };
    },
  };
}

/** Returns the path of the list of threats, and those of some threats. */
export async function threatPaths(url: string): Promise<{ list: string; threats: string[] }> {
  const list = "/v1/threats?per_page=20";
  const response = await fetch(`${url}${list}`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { data } = (await response.json()) as { data: { id: string }[] };
  return { list, threats: data.map(({ id }) => `/v1/threats/${id}`) };
}
