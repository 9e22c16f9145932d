import { noFilter } from "../../../../threats/events/event-filter.ts";
import { badRequest, PublicError } from "../../../../platform/lib/errors.ts";
import { sentence } from "../../../../platform/lib/wording.ts";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { overviewPath, welcomePath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { webhookKind } from "../../../../messaging/channels/webhook/endpoint.ts";
import { testShown, type TestShown } from "../deliveries/test-note.tsx";
import { submitNewDomain } from "../domains/adding.tsx";
import { simpleServices } from "./notify-step.tsx";
import { stepPath } from "./step-links.tsx";
import { showWelcome, testResult, type WelcomeServices } from "./welcome.tsx";

/** Previews or adds the domain, depending on the button. */
export async function addDomain(context: Context<WelcomeServices>): Promise<PageResult> {
  const submitted = await submitNewDomain(context);
  if ("added" in submitted) return redirect(welcomePath, submitted.flash);
  const { shown } = submitted;
  return showWelcome(context, {
    step: "domain",
    domain: shown,
    status: shown.error === undefined ? 200 : 400,
  });
}

/** Adds a channel, and a subscription that sends it new threats. */
export async function addChannel(context: Context<WelcomeServices>): Promise<PageResult> {
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
export async function sendTest(context: Context<WelcomeServices>): Promise<PageResult> {
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
export async function startScan({ services, by }: Context<"scans">): Promise<PageResult> {
  try {
    await services.scans.begin({ trigger: "console", by });
    return redirect(stepPath("scan"));
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    return redirect(stepPath("scan"), { tone: "danger", text: sentence(error.message) });
  }
}

export async function skipSetup({ services, write }: Context<"setup">): Promise<PageResult> {
  await write(() => services.setup.skip());
  return redirect(overviewPath, {
    tone: "success",
    text: "The setup is no longer offered.",
    action: { label: "Resume setup", path: `${welcomePath}/resume`, fields: {} },
  });
}

export async function resumeSetup({ services, write }: Context<"setup">): Promise<PageResult> {
  await write(() => services.setup.resume());
  return redirect(welcomePath);
}
