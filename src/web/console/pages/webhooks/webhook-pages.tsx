import { webhookKind, type Endpoint } from "../../../../messaging/channels/webhook/endpoint.ts";
import { isDeclared } from "../../../../platform/config/declared.ts";
import { toIsoTime, toPlainTime } from "../../../../platform/lib/clock.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import { Confirm } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { webhooksPath as path } from "../../kit/paths.ts";
import { pageGroup, type Context, type NavigationMark } from "../../shell/router.ts";
import type { PageServices } from "../../shell/services.ts";
import { endpointWords } from "../../delivery-kit/recipient-parts.tsx";
import { eventReplay, replayRoutes, sendAllRoutes } from "../../delivery-kit/sending-again.tsx";
import { endpointOf, showEndpoint } from "./webhook-detail.tsx";
import { listEndpoints } from "./webhook-list.tsx";
import {
  addEndpoint,
  changeEndpoint,
  formOf,
  type Saved,
  savedName,
  showEndpointForm,
  pingShown,
} from "./webhook-form.tsx";
import { rotateRoutes } from "./webhook-rotate-pages.tsx";

function failingRecipients({ deliveries }: Pick<PageServices, "deliveries">): NavigationMark | undefined {
  const failing = deliveries.recipients
    .list(webhookKind)
    .filter(({ enabled, failingSince }) => enabled && failingSince !== null);
  return failing.length === 0 ? undefined : { problem: `${failing.length} failing` };
}

/** Webhook endpoints: programs that are sent events. */
export const webhookPages = pageGroup({
  nav: { section: "notify", label: "Webhook endpoints", icon: "endpoint", path, mark: failingRecipients },
  services: ["config", "deliveries", "domains", "threats", "webhooks"],
  routes: [
    { method: "GET", path, permission: "read", run: listEndpoints },
    {
      method: "GET",
      path: `${path}/add`,
      permission: "administer",
      // Nothing is taken from the address: a link must not fill in where events are sent.
      run: (context) => showEndpointForm(context, { form: new URLSearchParams() }),
    },
    { method: "POST", path: `${path}/add`, permission: "administer", run: addEndpoint },
    { method: "GET", path: `${path}/:id`, permission: "read", run: showEndpoint },
    {
      method: "GET",
      path: `${path}/:id/edit`,
      permission: "administer",
      run(context) {
        const endpoint = editable(context);
        return showEndpointForm(context, { form: formOf(endpoint), endpoint });
      },
    },
    {
      method: "POST",
      path: `${path}/:id/edit`,
      permission: "administer",
      run: (context) => changeEndpoint(context, editable(context)),
    },
    { method: "POST", path: `${path}/:id/test`, permission: "administer", run: sendTest },
    { method: "POST", path: `${path}/:id/enable`, permission: "administer", run: enable },
    { method: "POST", path: `${path}/:id/disable`, permission: "administer", run: disable },
    { method: "GET", path: `${path}/:id/remove`, permission: "administer", run: askToRemove },
    { method: "POST", path: `${path}/:id/remove`, permission: "administer", run: remove },
    ...rotateRoutes(editable),
    ...replayRoutes({ base: path, kinds: [webhookKind], words: eventReplay }),
    ...sendAllRoutes({
      base: path,
      kinds: [webhookKind],
      words: endpointWords,
      duplicates: "Events keep their identifiers, so that the receiver can ignore those that it has seen.",
    }),
  ],
});

async function sendTest(context: Context<"webhooks">): Promise<PageResult> {
  const endpoint = endpointOf(context);
  const test = pingShown(await context.services.webhooks.test(endpoint, { by: context.by }));
  context.putOnce(savedName(endpoint.id), { test } satisfies Saved);
  return redirect(`${path}/${endpoint.id}`);
}

async function enable(context: Context<"deliveries" | "webhooks">): Promise<PageResult> {
  const { deliveries, webhooks } = context.services;
  const { id } = endpointOf(context);
  const { name, disabledAt: since } = await context.write(() =>
    webhooks.endpoints.enable(id, { by: context.by }),
  );
  const missed = since === null ? 0 : deliveries.replay.count({ which: "missed", recipient: id, since });
  if (since === null || missed === 0) return redirect(`${path}/${id}`, `${name} is enabled.`);
  return redirect(`${path}/${id}`, {
    tone: "warning",
    text: `${name} is enabled. It missed ${counted(missed, "event")} since ${toPlainTime(since)}.`,
    action: {
      label: "Send them now",
      path: `${path}/${id}/replay`,
      fields: { which: "missed", since: toIsoTime(since) },
    },
  });
}

async function disable(context: Context<"webhooks">): Promise<PageResult> {
  const { id } = endpointOf(context);
  const { endpoints } = context.services.webhooks;
  const { name } = await context.write(() => endpoints.disable(id, { by: context.by }));
  return redirect(
    `${path}/${id}`,
    `${name} is disabled until someone enables it. Pending deliveries stay queued.`,
  );
}

function askToRemove(context: Context<"webhooks">): PageResult {
  const { id, name } = editable(context);
  return page(
    "Remove webhook endpoint",
    <Confirm
      title="Remove this webhook endpoint?"
      action={`${path}/${id}/remove`}
      button="Remove endpoint"
      back={`${path}/${id}`}
    >
      <p>
        <strong>
          <Text text={name} />
        </strong>{" "}
        will receive no more events, and its secret and deliveries will be deleted. To pause deliveries,
        disable it instead.
      </p>
    </Confirm>,
  );
}

async function remove(context: Context<"webhooks">): Promise<PageResult> {
  const { id, name } = editable(context);
  await context.services.webhooks.endpoints.remove(id, { by: context.by });
  return redirect(path, `${name} has been removed.`);
}

function editable(context: Context<"webhooks">): Endpoint {
  const endpoint = endpointOf(context);
  if (isDeclared(endpoint))
    throw badRequest("This endpoint is declared in the configuration file. Change it there.");
  return endpoint;
}
