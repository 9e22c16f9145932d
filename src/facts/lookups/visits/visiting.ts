import type { Clock } from "../../../platform/lib/clock.ts";
import type { HttpClient } from "../../../platform/network/http/http-client.ts";
import { createPageRequest, type PageRequest, createCookieJar } from "./page-request.ts";
import type { Visitor } from "./visitors.ts";

/** Runs work with the requests of a new visit, within a time limit. */
export type Visiting = <T>(
  visitor: Visitor,
  limits: { deadlineMs: number; signal: AbortSignal | undefined },
  work: (get: PageRequest, isLate: () => boolean) => Promise<T>,
) => Promise<T>;

interface VisitingDependencies {
  client: HttpClient;
  clock: Clock;
  ports: { http: number; https: number };
}

export function createVisiting({ client, clock, ports }: VisitingDependencies): Visiting {
  return async (visitor, { deadlineMs, signal }, work) => {
    const abort = new AbortController();
    let late = false;
    const timer = clock.after(deadlineMs, () => {
      late = true;
      abort.abort();
    });
    const giveUp = () => abort.abort();
    signal?.addEventListener("abort", giveUp, { once: true });
    if (signal?.aborted === true) giveUp();
    const request = createPageRequest({ client, visitor, cookies: createCookieJar(), ports });
    try {
      return await work(
        (url, limits) => request(url, { ...limits, signal: abort.signal }),
        () => late,
      );
    } finally {
      timer.cancel();
      signal?.removeEventListener("abort", giveUp);
      abort.abort();
    }
  };
}
