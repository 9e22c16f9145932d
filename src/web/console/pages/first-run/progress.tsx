import type { Context } from "../../shell/router.ts";
import type { PageServices } from "../../shell/services.ts";
import { overviewPath, welcomePath } from "../../kit/paths.ts";
import { LinkButton } from "../../kit/components.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Icon } from "../../kit/inline.tsx";
import steps from "./steps.json" with { type: "json" };

/** Steps in their order. `steps.json` has the title of each, and the hint beside it while the step is not done. */
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

/** Returns whether people are led to the setup. An appliance in memory is a sandbox, which keeps nothing. */
function isOffered({ setup, storage }: Pick<PageServices, "setup" | "storage">): boolean {
  return storage.path !== ":memory:" && setup.isOffered();
}

/** Returns the page after a sign-in: the setup while nothing is set up yet, else the overview. */
export function homePath(services: Pick<PageServices, "domains" | "setup" | "storage" | "threats">): string {
  if (!isOffered(services)) return overviewPath;
  const { domains, threats } = services;
  const isEmpty = threats.totals().length === 0 && !domains.list().some(({ enabled }) => enabled);
  return isEmpty ? welcomePath : overviewPath;
}

/** Leads to the setup until it is finished or skipped. */
export function SetupCard({ services }: { services: Context<ProgressServices>["services"] }) {
  if (!isOffered(services)) return null;
  const done = readProgress(services);
  const next = nextStep(done);
  if (next === undefined) return null;
  const left = stepNames.filter((name) => !done[name]).length;
  return (
    <section class="note setup" aria-labelledby="setup-card">
      <Icon name="list" />
      <div>
        <h2 id="setup-card">Finish setting up</h2>
        <p>
          {left} of {stepNames.length} steps left. Next: {steps[next].title.toLowerCase()}.
        </p>
      </div>
      <div class="line">
        <PostButton action={`${welcomePath}/skip`} label="Skip" variant="plain" small />
        <LinkButton path={welcomePath} label="Continue" small />
      </div>
    </section>
  );
}
