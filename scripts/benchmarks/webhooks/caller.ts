import { apiKey } from "./instance.ts";

const pauseMs = 10;

/** Calls the API again and again, as a client would who waits for each response. */
export interface Caller {
  /** Returns the longest time that a call took, in milliseconds. */
  stop(): Promise<number>;
}

export function createCaller(url: string): Caller {
  const stopping = new AbortController();
  let longestMs = 0;
  const headers = { Authorization: `Bearer ${apiKey}` };
  const calls = (async () => {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      const response = await fetch(url, { headers });
      await response.bytes();
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      await Bun.sleep(pauseMs);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await calls;
      return longestMs;
    },
  };
}
