import { messageOf } from "../platform/lib/errors.ts";

/** A part of the appliance that works in the background. Undefined: this appliance has none. */
type Service = { start?(): void; stop(): unknown } | undefined;

/** Services that finish their work together. */
type Stage = readonly Service[];

/**
 * Starts and stops services from one list, which is in the order of the stop: a stage after the one before. The start
 * is in the reverse order, except for the services that start `first`.
 */
export function createLifecycle(stages: readonly Stage[], { first }: { first: Stage }) {
  const others = stages.toReversed().flat();
  let isRunning = false;
  return {
    /** Whether all services have started, and not all have stopped. */
    isRunning: () => isRunning,
    /** @param pause is awaited before each service but the first ones; without it, all start before the call returns */
    async start(pause?: () => Promise<void>): Promise<void> {
      for (const service of first) service?.start?.();
      for (const service of others) {
        if (service?.start === undefined || first.includes(service)) continue;
        if (pause !== undefined) await pause();
        service.start();
      }
      isRunning = true;
    },
    stop: () => stopServices(stages).finally(() => (isRunning = false)),
  };
}

/**
 * Stops services in stages: those of a stage together, and each stage after the one before. A service that fails keeps no
 * other from stopping, because work in progress must end before the database is closed.
 * @throws at the end, the error of the service that failed, or an error with those of all that did
 */
export async function stopServices(stages: readonly Stage[]): Promise<void> {
  const errors: unknown[] = [];
  for (const stage of stages) {
    const results = await Promise.allSettled(stage.map(async (service) => service?.stop()));
    for (const result of results) if (result.status === "rejected") errors.push(result.reason);
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(messageOf).join("; "));
}
