import { metrics, single, type Collector } from "../metrics/metrics.ts";

/** Collects the state of the HTTP server. */
export function serverCollector({
  bodies,
  pending,
  readiness,
}: {
  bodies: { readonly heldBytes: number };
  /** Returns the number of requests in flight, including the one for metrics. */
  pending: () => number;
  readiness: () => { ready: boolean; checks: { database: string } };
}): Collector {
  return () => {
    const { ready, checks } = readiness();
    return [
      single(metrics.ready, ready ? 1 : 0),
      single(metrics.databaseOk, checks.database === "ok" ? 1 : 0),
      single(metrics.httpPending, pending()),
      single(metrics.httpBodyBytes, bodies.heldBytes),
    ];
  };
}
