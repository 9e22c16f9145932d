import { endpointPresentation } from "../../../../messaging/channels/webhook/presentation.ts";
import {
  webhookKind,
  type Endpoint,
  rotationOverlapMs,
} from "../../../../messaging/channels/webhook/endpoint.ts";
import { failureAdvice } from "../../../../messaging/channels/failures.ts";
import type { AttemptResult } from "../../../../messaging/deliveries/channel.ts";
import { isDeclared } from "../../../../platform/config/declared.ts";
import { toIsoTime, toPlainTime } from "../../../../platform/lib/clock.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import type { EntryPages, EntryWords } from "../../entries/description.ts";
import { editableEntry, EntryName, entryOf, entryRoutes } from "../../entries/entry-pages.tsx";
import { Help, MenuLink } from "../../kit/disclosure.tsx";
import { Text } from "../../kit/inline.tsx";
import { redirect, type PageResult, page } from "../../kit/page-result.ts";
import { deliveriesPath, webhooksPath as path } from "../../kit/paths.ts";
import type { PageGroup, Context, NavigationMark, Route } from "../../shell/router.ts";
import type { PageServices } from "../../shell/services.ts";
import { filterFacts } from "../../threat-kit/event-filter.tsx";
import { endpointWords, RecipientState } from "../../delivery-kit/recipient-parts.tsx";
import { recipientPage } from "../../delivery-kit/recipient-page.tsx";
import { sendingAgainRoutes } from "../../delivery-kit/sending-again.tsx";
import { testShown } from "../../delivery-kit/delivery-parts.tsx";
import { LinkButton } from "../../kit/components.tsx";
import { attempt, wholeForm, type FieldErrors } from "../../kit/fields.ts";
import { FormFields } from "../../kit/form-fields.tsx";
import { Button, Form } from "../../kit/form.tsx";
import rotationForm from "./rotation-form.json" with { type: "json" };
import { endpointForm, type EndpointFields } from "./webhook-form.tsx";
import {
  listEndpoints,
  EndpointUrl,
  savedName,
  SavedNote,
  SecretState,
  type Saved,
} from "./webhook-list.tsx";

type Services = "config" | "deliveries" | "domains" | "threats" | "webhooks";

const pathOf = (id: string) => `${path}/${id}`;

const pages: EntryPages<Endpoint, Services, EndpointFields> = {
  noun: "webhook endpoint",
  short: "endpoint",
  listPage: { label: "Webhook endpoints", path },
  pathOf,
  service: endpointPresentation.service,
  show: showEndpoint,
  form: endpointForm,
  async save(context, settings, { name, entry }) {
    const { by, form, putOnce, services, write } = context;
    const { checkDestination, endpoints, ping } = services.webhooks;
    const warning = await checkDestination(settings.url);
    const saved = await write(() =>
      entry === undefined
        ? endpoints.add({ ...settings, name: name || undefined }, { by })
        : { endpoint: endpoints.change(entry.id, settings, { by }), secret: undefined },
    );
    const { endpoint, secret } = saved;
    const test = form.get("test") === "yes" ? pingShown(await ping(endpoint)) : undefined;
    putOnce(savedName(endpoint.id), { secret, warning, test } satisfies Saved);
    return { id: endpoint.id, message: secret === undefined ? "Saved." : `${endpoint.name} has been added.` };
  },
  enabled({ services: { deliveries } }, { id, name, disabledAt: since }) {
    const missed = since === null ? 0 : deliveries.replay.count({ which: "missed", recipient: id, since });
    if (since === null || missed === 0) return `${name} is enabled.`;
    return {
      tone: "warning",
      text: `${name} is enabled. It missed ${counted(missed, "event")} since ${toPlainTime(since)}.`,
      action: {
        label: "Send them now",
        path: `${pathOf(id)}/replay`,
        fields: { which: "missed", since: toIsoTime(since) },
      },
    };
  },
  disabled: "is disabled until someone enables it. Pending deliveries stay queued.",
  removing: (endpoint) => (
    <>
      <EntryName entry={endpoint} /> will receive no more events, and its secret and deliveries will be
      deleted. To pause deliveries, disable it instead.
    </>
  ),
};

function failingRecipients({ deliveries }: Pick<PageServices, "deliveries">): NavigationMark | undefined {
  const failing = deliveries.recipients
    .list(webhookKind)
    .filter(({ enabled, failingSince }) => enabled && failingSince !== null);
  return failing.length === 0 ? undefined : { problem: `${failing.length} failing` };
}

/** Webhook endpoints: programs that are sent events. */
export const webhookPages: PageGroup = {
  nav: { section: "notify", label: "Webhook endpoints", icon: "endpoint", path, mark: failingRecipients },
  routes: [
    { method: "GET", path, permission: "read", run: listEndpoints },
    ...entryRoutes(pages),
    { method: "POST", path: `${path}/:id/test`, permission: "administer", run: sendTest },
    ...rotateRoutes((context) => editableEntry(pages, context)),
    ...sendingAgainRoutes({ base: path, channels: [webhookKind], words: endpointWords }),
  ],
};

async function sendTest(context: Context<"webhooks">): Promise<PageResult> {
  const endpoint = entryOf(pages, context);
  const test = pingShown(await context.services.webhooks.test(endpoint, { by: context.by }));
  context.putOnce(savedName(endpoint.id), { test } satisfies Saved);
  return redirect(pathOf(endpoint.id));
}

function pingShown(result: AttemptResult) {
  return testShown(result, result.failure === null ? undefined : failureAdvice(result.failure));
}

function showEndpoint(context: Context<Services>, endpoint: Endpoint, words: EntryWords): PageResult {
  const { id, url } = endpoint;
  const saved = context.takeOnce<Saved>(savedName(id));
  return recipientPage(context, endpoint, words, {
    lead: (
      <code>
        <EndpointUrl url={url} charactersMax={120} />
      </code>
    ),
    words: endpointWords,
    menu: isDeclared(endpoint) ? null : <MenuLink path={`${pathOf(id)}/rotate`} label="Rotate secret" />,
    once: saved === undefined ? null : <SavedNote saved={saved} />,
    latest: {
      title: "Deliveries",
      all: "All deliveries",
      path: `${deliveriesPath}?endpoint=${id}`,
      empty: "No events have been sent to it yet. Tests are not listed here.",
    },
    settings: settingsOf(endpoint, context),
  });
}

function settingsOf(endpoint: Endpoint, { now, services: { config } }: Context<Services>) {
  const { url, events, filter, headers, concurrency, ratePerSecond, origin } = endpoint;
  const filters = filter === null ? [] : filterFacts(filter);
  return [
    ["State", <RecipientState recipient={endpoint} />],
    ["URL", <EndpointUrl url={url} charactersMax={400} />],
    ["Events", events.length === 0 ? "all" : events.join(", ")],
    ...filters.map(([label, value]) => [label, <Text text={value} charactersMax={2_000} />] as const),
    [
      "Signing secret",
      <>
        <SecretState endpoint={endpoint} now={now} declared={origin === "file"} />{" "}
        <Help topic="signing_secret" />
      </>,
    ],
    // Values of headers may be secret.
    ["Custom headers", Object.keys(headers).join(", ") || "none"],
    [
      "Limits",
      `${concurrency ?? config.webhooks.endpointConcurrency} concurrent requests, ${ratePerSecond === null ? "no rate limit" : `${ratePerSecond} per second`}`,
    ],
  ] as const;
}

/** Routes for rotating the secret of an endpoint. */
function rotateRoutes(editable: (context: Context<"webhooks">) => Endpoint): Route<"webhooks">[] {
  const rotatePath = `${path}/:id/rotate`;

  async function rotate(context: Context<"webhooks">) {
    const { form, services, by } = context;
    const endpoint = editable(context);
    const given = (form.get("secret") ?? "").trim();
    const rotated = await attempt(() =>
      services.webhooks.endpoints.rotate(endpoint.id, {
        secret: given || undefined,
        overlapMs: form.get("old") === "now" ? 0 : rotationOverlapMs,
        by,
      }),
    );
    if (!rotated.ok) return show(endpoint, form, { [wholeForm]: rotated.message });
    const saved: Saved = { secret: rotated.value.secret };
    context.putOnce(savedName(endpoint.id), saved);
    return redirect(`${path}/${endpoint.id}`, `${endpoint.name} has a new secret.`);
  }

  return [
    {
      method: "GET",
      path: rotatePath,
      permission: "administer",
      run: (context) => show(editable(context), context.query),
    },
    { method: "POST", path: rotatePath, permission: "administer", run: rotate },
  ];
}

function show({ id, name }: Endpoint, form: URLSearchParams, errors?: FieldErrors) {
  const back = `${path}/${id}`;
  return page(
    {
      title: "Rotate secret",
      heading: "Rotate the secret",
      crumbs: [{ label: name, path: back }],
      lead: "The new secret is shown once, on the next page.",
      errors,
      class: "narrow",
    },
    <Form action={`${back}/rotate`}>
      <FormFields fields={rotationForm.fields} set={{ old: { values: [form.get("old") ?? "later"] } }} />
      <div class="line">
        <Button label="Rotate secret" />
        <LinkButton path={back} label="Cancel" />
      </div>
    </Form>,
  );
}
