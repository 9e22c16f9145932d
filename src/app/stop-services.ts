import { messageOf } from "../platform/lib/errors.ts";

/** Parts of the appliance that finish their work together. */
type Stage = readonly ({ stop(): unknown } | undefined)[];

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
