import { LinkButton } from "../../kit/components.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Icon } from "../../kit/icons.tsx";
import { welcomePath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { isOffered, nextStep, readProgress, stepNames, type ProgressServices } from "./progress.ts";
import { stepTitles } from "./steps.ts";

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
          {left} of {stepNames.length} steps left. Next: {stepTitles[next].toLowerCase()}.
        </p>
      </div>
      <div class="line">
        <PostButton action={`${welcomePath}/skip`} label="Skip" variant="plain" small />
        <LinkButton path={welcomePath} label="Continue" small />
      </div>
    </section>
  );
}
