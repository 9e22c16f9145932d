import type { ComponentChildren } from "preact";
import { noFilter } from "../../../../threats/events/event-filter.ts";
import { badRequest, PublicError } from "../../../../platform/lib/errors.ts";
import { sentence } from "../../../../platform/lib/wording.ts";
import { webhookKind } from "../../../../messaging/channels/webhook/endpoint.ts";
import { PageHead } from "../../kit/components.tsx";
import { Icon } from "../../kit/inline.tsx";
import { PostButton } from "../../kit/form.tsx";
import { orBackTo, page, type PageResult, redirect } from "../../kit/page-result.ts";
import { overviewPath, welcomePath } from "../../kit/paths.ts";
import type { Context, PageGroup } from "../../shell/router.ts";
import { Brand } from "../../shell/layout.tsx";
import { type TestShown, testShown } from "../../delivery-kit/delivery-parts.tsx";
import { type NewDomain, submitNewDomain } from "../domains/adding.tsx";
import {
  DomainStep,
  NotifyStep,
  type NewChannelInput,
  ScanStep,
  SourcesStep,
  TestStep,
  simpleServices,
  stepPath,
} from "./steps.tsx";
import steps from "./steps.json" with { type: "json" };
import { nextStep, readProgress, stepNames, type ProgressServices, type StepName } from "./progress.tsx";

type WelcomeServices =
  | ProgressServices
  | "archive"
  | "assessDomain"
  | "certificateLogs"
  | "channels"
  | "config"
  | "notifications"
  | "webhooks";

/** Name under which the result of a test is kept for the next page. */
const testResult = "setup test";

/** A form that was submitted and is shown again. */
interface Submitted {
  step: StepName;
  domain?: NewDomain;
  channel?: NewChannelInput;
  status?: number;
}

/** Shows the setup with one step open: the requested one, else the first that is not done. */
function showWelcome(context: Context<WelcomeServices>, submitted?: Submitted): PageResult {
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
              <h2>{steps[name].title}</h2>
              <span class="faint s hide-s">{done[name] ? "done" : steps[name].hint}</span>
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

/** Previews or adds the domain, depending on the button. */
async function addDomain(context: Context<WelcomeServices>): Promise<PageResult> {
  const submitted = await submitNewDomain(context);
  if ("added" in submitted) return redirect(welcomePath, submitted.flash);
  const { shown } = submitted;
  return showWelcome(context, {
    step: "domain",
    domain: shown,
    status: shown.errors === undefined ? 200 : 400,
  });
}

/** Adds a channel, and a subscription that sends it new threats. */
async function addChannel(context: Context<WelcomeServices>): Promise<PageResult> {
  const { services, form, by, write } = context;
  const { channels, notifications } = services;
  const given = form.get("type") ?? "";
  const address = (form.get("address") ?? "").trim();
  const type = simpleServices.find((one) => one === given);
  if (type === undefined) throw badRequest("Choose one of the services.");
  try {
    const { name } = await write(() => {
      const label = channels.label(type);
      const added = channels.add(
        {
          name: freeName(label, (one) => channels.find(one) !== undefined),
          type,
          target: targetOf(type, address),
        },
        { by },
      );
      notifications.subscriptions.add(
        {
          name: freeName("New threats", (one) => notifications.subscriptions.find(one) !== undefined),
          channel: added.id,
          filter: { ...noFilter, minSeverity: "medium" },
        },
        { by },
      );
      return added;
    });
    return redirect(stepPath("test"), `${name} has been added.`);
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    const channel = { type, address, error: sentence(error.message) };
    return showWelcome(context, { step: "notify", channel, status: 400 });
  }
}

function targetOf(type: (typeof simpleServices)[number], address: string) {
  return type === "email" ? { to: [address] } : { url: address };
}

/** Returns the name, with a number if it is taken. */
function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted;
  for (let number = 2; isTaken(name); number += 1) name = `${wanted} ${number}`;
  return name;
}

/** Sends a test message to a recipient, and shows its result. */
async function sendTest(context: Context<WelcomeServices>): Promise<PageResult> {
  const { services, form, by, write } = context;
  const { channels, deliveries, setup, webhooks } = services;
  const { id, channel } = deliveries.recipients.get(form.get("recipient") ?? "");
  let shown: TestShown;
  if (channel === webhookKind) {
    const result = await webhooks.test(webhooks.endpoints.get(id), { by });
    shown = testShown(
      result,
      result.failure === null ? undefined : deliveries.failureAdvice(channel, result.failure),
    );
  } else {
    const result = await channels.test(id, { by });
    shown = testShown(result, result.advice);
  }
  if (shown.failure === null) await write(() => setup.recordTestDelivered());
  context.putOnce(testResult, shown);
  return redirect(stepPath("test"));
}

/** Starts a scan of all protected domains. */
function startScan({ services, by }: Context<"scans">): Promise<PageResult> {
  return orBackTo(stepPath("scan"), async () => {
    await services.scans.begin({ trigger: "console", by });
    return redirect(stepPath("scan"));
  });
}

async function skipSetup({ services, write }: Context<"setup">): Promise<PageResult> {
  await write(() => services.setup.skip());
  return redirect(overviewPath, {
    tone: "success",
    text: "The setup is no longer offered.",
    action: { label: "Resume setup", path: `${welcomePath}/resume`, fields: {} },
  });
}

async function resumeSetup({ services, write }: Context<"setup">): Promise<PageResult> {
  await write(() => services.setup.resume());
  return redirect(welcomePath);
}

/** Setup after the first sign-in. */
export const firstRunPages: PageGroup = {
  routes: [
    { method: "GET", path: welcomePath, permission: "read", run: (context) => showWelcome(context) },
    { method: "POST", path: `${welcomePath}/domain`, permission: "administer", run: addDomain },
    { method: "POST", path: `${welcomePath}/channel`, permission: "administer", run: addChannel },
    { method: "POST", path: `${welcomePath}/test`, permission: "administer", run: sendTest },
    { method: "POST", path: `${welcomePath}/scan`, permission: "scan", run: startScan },
    { method: "POST", path: `${welcomePath}/skip`, permission: "administer", run: skipSetup },
    { method: "POST", path: `${welcomePath}/resume`, permission: "administer", run: resumeSetup },
  ],
};
