import type { ComponentChildren } from "preact";
import { PageHead } from "../../kit/components.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Icon } from "../../kit/icons.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { overviewPath, welcomePath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { Brand } from "../../shell/layout.tsx";
import type { TestShown } from "../deliveries/test-note.tsx";
import type { NewDomain } from "../domains/adding.tsx";
import { DomainStep } from "./domain-step.tsx";
import { NotifyStep, type NewChannelInput } from "./notify-step.tsx";
import { nextStep, readProgress, stepNames, type ProgressServices, type StepName } from "./progress.ts";
import { ScanStep } from "./scan-step.tsx";
import { SourcesStep } from "./sources-step.tsx";
import { stepHints, stepTitles } from "./steps.ts";
import { TestStep } from "./test-step.tsx";

export type WelcomeServices =
  | ProgressServices
  | "archive"
  | "assessDomain"
  | "certificateLogs"
  | "channels"
  | "config"
  | "notifications"
  | "webhooks";

/** Name under which the result of a test is kept for the next page. */
export const testResult = "setup test";

/** A form that was submitted and is shown again. */
interface Submitted {
  step: StepName;
  domain?: NewDomain;
  channel?: NewChannelInput;
  status?: number;
}

/** Shows the setup with one step open: the requested one, else the first that is not done. */
export function showWelcome(context: Context<WelcomeServices>, submitted?: Submitted): PageResult {
  const { services, query } = context;
  const done = readProgress(services);
  const requested = stepNames.find((name) => name === query.get("step"));
  const open = submitted?.step ?? requested ?? nextStep(done);
  const contents: Record<StepName, () => ComponentChildren> = {
    domain: () => <DomainStep services={services} done={done.domain} given={submitted?.domain} />,
    sources: () => <SourcesStep services={services} done={done.sources} />,
    notify: () => <NotifyStep services={services} done={done.notify} given={submitted?.channel} />,
    test: () => (
      <TestStep services={services} done={done.test} test={context.takeOnce<TestShown>(testResult)} />
    ),
    scan: () => <ScanStep services={services} />,
  };
  const isFinished = nextStep(done) === undefined;
  return page(
    "Set up",
    <>
      <div class="line">
        <Brand />
        <div class="push">
          {isFinished ? null : (
            <PostButton action={`${welcomePath}/skip`} label="Skip setup" variant="plain" small />
          )}
        </div>
      </div>
      <PageHead
        title="Set up phishwatch"
        lead={
          isFinished ? (
            "Everything is set up."
          ) : (
            <>
              phishwatch finds phishing look-alikes of your domains. Set it up in five short steps. You can{" "}
              <a href={overviewPath}>leave</a> and resume from the overview.
            </>
          )
        }
      />
      <div class="steps">
        {stepNames.map((name, index) => (
          <details class="step" id={name} open={name === open}>
            <summary>
              <span class={done[name] ? "dot ok" : "dot"}>
                {done[name] ? <Icon name="check" /> : index + 1}
              </span>
              <h2>{stepTitles[name]}</h2>
              <span class="faint s hide-s">{done[name] ? "done" : stepHints[name]}</span>
            </summary>
            <div class="stack">{contents[name]()}</div>
          </details>
        ))}
      </div>
      {isFinished ? (
        <a class="btn primary" href={overviewPath}>
          Go to the overview
        </a>
      ) : null}
    </>,
    { alone: true, status: submitted?.status ?? 200 },
  );
}
