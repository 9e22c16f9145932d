import type { Context } from "../../shell/router.ts";
import type { PageServices } from "../../shell/services.ts";

export const stepNames = ["domain", "sources", "notify", "test", "scan"] as const;
export type StepName = (typeof stepNames)[number];

/** Services that show which steps are done. */
export type ProgressServices = "deliveries" | "domains" | "scans" | "setup" | "sources" | "storage";

/** Number of latest scans among which a completed one is searched. */
const scansSearchedMax = 10;

/** Returns which steps of the setup are done, however that happened: here, in the configuration file, by a command. */
export function readProgress(context: Context<ProgressServices>["services"]): Record<StepName, boolean> {
  const { deliveries, domains, scans, setup, sources } = context;
  const recipients = deliveries.recipients.listAll().filter(({ enabled }) => enabled);
  return {
    domain: domains.list().some(({ enabled }) => enabled),
    // Imports are a source of their own, which has arrivals only after the first import.
    sources: sources.some(({ declaredAs, status }) => declaredAs !== null || status().latest !== null),
    notify: recipients.length > 0,
    test:
      recipients.length > 0 &&
      (setup.isTestDelivered() || deliveries.log.list({ status: "succeeded" }, 1).length > 0),
    scan: scans.list(scansSearchedMax).some(({ status }) => status === "completed"),
  };
}

/** Returns the first step that is not done; undefined: all are. */
export function nextStep(done: Record<StepName, boolean>): StepName | undefined {
  return stepNames.find((name) => !done[name]);
}

/** Returns whether people are led to the setup. An appliance in memory is a sandbox, of which nothing is kept. */
export function isOffered({ setup, storage }: Pick<PageServices, "setup" | "storage">): boolean {
  return storage.path !== ":memory:" && setup.isOffered();
}
