import type { Recipient } from "../../../messaging/deliveries/recipients.ts";
import type { ReplayRequest } from "../../../messaging/deliveries/replay.ts";
import { toIsoTime, type Instant } from "../../../platform/lib/clock.ts";
import { badRequest, notFound } from "../../../platform/lib/errors.ts";
import { counted, grouped } from "../../../platform/lib/wording.ts";
import { replaySelections } from "../../../platform/vocabulary/channels.ts";
import { LinkButton, Section, Time } from "../kit/components.tsx";
import { attempt, wholeForm } from "../kit/fields.ts";
import { Button, Choices, Form, HiddenFields, TextField, PostButton } from "../kit/form.tsx";
import { page, redirect, fragment, type PageResult } from "../kit/page-result.ts";
import { deliveriesToPath } from "../kit/paths.ts";
import type { Context, Route } from "../shell/router.ts";
import { Text } from "../kit/inline.tsx";
import { causeText } from "./delivery-parts.tsx";
import { RecipientNow, type RecipientWords } from "./recipient-parts.tsx";

type DeliveriesContext = Context<"deliveries">;

/** Recipients of one kind, which have the same pages. */
interface RecipientKind {
  /** Address of their list, below which each has its page. */
  base: string;
  /** Their channels. */
  channels: readonly string[];
  words: RecipientWords;
}

/**
 * Routes for sending again what a recipient was sent, or everything that it was not delivered: the first step shows the
 * number of deliveries, the second sends them. A fragment shows the progress.
 */
export function sendingAgainRoutes(kind: RecipientKind): Route<"deliveries">[] {
  const one = `${kind.base}/:id`;
  const administer = (
    method: Route["method"],
    path: string,
    run: (context: DeliveriesContext, kind: RecipientKind) => ReturnType<Route["run"]>,
  ): Route<"deliveries"> => ({
    method,
    path,
    permission: "administer",
    run: (context) => run(context, kind),
  });
  return [
    administer("GET", `${one}/replay`, (context) => showReplay(context, kind, context.query)),
    administer("POST", `${one}/replay`, replay),
    administer("GET", `${one}/send-all`, askToSendAll),
    administer("POST", `${one}/send-all`, sendAll),
    { method: "GET", path: `${one}/now`, permission: "read", run: (context) => showProgress(context, kind) },
  ];
}

/** Returns the recipient of a page, and the address of its own page. @throws PublicError `not_found` */
function recipientOf({ params, services }: DeliveriesContext, { base, channels }: RecipientKind) {
  const { recipients } = services.deliveries;
  const id = params["id"] ?? "";
  const recipient = channels.map((channel) => recipients.find(channel, id)).find((found) => found?.id === id);
  if (recipient === undefined) throw notFound("There is no recipient with this ID.");
  return { recipient, back: `${base}/${id}` };
}

async function replay(context: DeliveriesContext, kind: RecipientKind): Promise<PageResult> {
  const { by, form, services } = context;
  const { recipient } = recipientOf(context, kind);
  const made = await attempt(() => services.deliveries.replay.run(readRequest(recipient, form), { by }));
  if (!made.ok) return showReplay(context, kind, form, made.message);
  return redirect(
    deliveriesToPath(recipient),
    `${counted(made.value, "delivery is", "deliveries are")} being sent to ${recipient.name}.`,
  );
}

async function showReplay(
  context: DeliveriesContext,
  kind: RecipientKind,
  form: URLSearchParams,
  message?: string,
): Promise<PageResult> {
  const { title, lead, choices } = kind.words.replay;
  const { recipient, back } = recipientOf(context, kind);
  const asked = form.has("which");
  const counting =
    asked && message === undefined
      ? await attempt(() => {
          const request = readRequest(recipient, form);
          return { request, count: context.services.deliveries.replay.count(request) };
        })
      : undefined;
  const failure = message ?? (counting?.ok === false ? counting.message : undefined);
  return page(
    {
      title,
      crumbs: [{ label: recipient.name, path: back }],
      lead,
      errors: failure === undefined ? {} : { [wholeForm]: failure },
      class: "narrow stack",
    },
    <>
      <form method="get" action={`${back}/replay`}>
        <Choices
          single
          label="Send again"
          name="which"
          choices={choices}
          values={[form.get("which") ?? "failed"]}
        />
        <TextField
          label="Since"
          name="since"
          type="datetime-local"
          value={forField(form.get("since") ?? "")}
          hint="UTC. Leave empty for the whole log."
        />
        <div class="line">
          <button type="submit" class="btn">
            Count
          </button>
        </div>
      </form>
      {counting?.ok === true ? (
        <Section title="Deliveries to send">
          <Counted recipient={recipient} back={back} {...counting.value} />
        </Section>
      ) : null}
    </>,
  );
}

function Counted(props: { recipient: Recipient; back: string; request: ReplayRequest; count: number }) {
  const { recipient, back, request, count } = props;
  const { which, since } = request;
  const from =
    since === 0 ? null : (
      <>
        , of events since <Time at={since} />
      </>
    );
  return (
    <>
      <p>
        <strong>{counted(count, "delivery", "deliveries")}</strong> to {recipient.name}
        {from}.
      </p>
      {count === 0 ? null : (
        <Form action={`${back}/replay`} class="line">
          <HiddenFields fields={{ which, since: since === 0 ? "" : toIsoTime(since) }} />
          <Button
            label={count === 1 ? "Send it" : `Send all ${grouped(count)}`}
            icon="send"
            variant="primary"
          />
          <LinkButton path={back} label="Cancel" variant="plain" />
        </Form>
      )}
    </>
  );
}

function readRequest({ id }: Recipient, form: URLSearchParams): ReplayRequest {
  const which = replaySelections.find((one) => one === form.get("which"));
  if (which === undefined) throw badRequest("Select what to send: failed, missed or all.");
  return { which, recipient: id, since: readTime(form.get("since") ?? "") };
}

/** Reads an ISO 8601 time. The form field has no zone, so a time without one is UTC. */
function readTime(text: string): Instant {
  if (text === "") return 0;
  const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z?$/.test(text)
    ? Date.parse(text.replace(/Z?$/, "Z"))
    : Number.NaN;
  if (Number.isNaN(iso)) throw badRequest("Write the time as 2026-01-31T12:00, in UTC.");
  return iso;
}

/** Removes the zone, which the form field cannot hold. */
const forField = (text: string) => text.replace(/(\.\d+)?Z$/, "");

function askToSendAll(context: DeliveriesContext, kind: RecipientKind): PageResult {
  const { recipient, back } = recipientOf(context, kind);
  const { words } = kind;
  if (!recipient.enabled) throw badRequest(`${recipient.name} is disabled; enable it first`);
  const { failures, sendAll: unsent } = context.services.deliveries;
  const { failed, queued } = unsent.count(recipient.seq, Number.MAX_SAFE_INTEGER);
  const total = failed + queued;
  if (total === 0) return redirect(back, `Nothing is left to send to ${recipient.name}.`);
  const cause = recipient.lastFailure ?? failures.of({ recipient: recipient.id })[0]?.causes[0];
  return page(
    "Send all again",
    <section class="card narrow">
      <h1>
        Send {counted(total, words.one, words.many)} to <Text text={recipient.name} charactersMax={60} />{" "}
        again?
      </h1>
      <div class="prose">
        <p>
          {failed === 0
            ? `All of them are queued and would be sent later.`
            : `${grouped(failed)} failed for good${queued === 0 ? "" : `, ${grouped(queued)} ${queued === 1 ? "is" : "are"} queued`}.`}{" "}
          All are sent now, oldest first. {words.duplicates}
        </p>
        {cause === undefined ? null : (
          <p>
            The last result was {causeText(cause)}. If that has not been fixed, they fail again and are
            retried on the usual schedule. Send a test first to find out.
          </p>
        )}
      </div>
      <div class="line">
        <Form action={`${back}/send-all`} class="inline">
          <Button
            label={total === 1 ? "Send it again" : `Send all ${grouped(total)} again`}
            icon="send"
            variant="primary"
          />
        </Form>
        <PostButton action={`${back}/test`} label={words.test} />
        <LinkButton path={back} label="Cancel" variant="plain" />
      </div>
    </section>,
  );
}

async function sendAll(context: DeliveriesContext, kind: RecipientKind): Promise<PageResult> {
  const { recipient, back } = recipientOf(context, kind);
  const { one, many } = kind.words;
  const { failed, queued } = await context.services.deliveries.sendAll.run(recipient.id, { by: context.by });
  const total = failed + queued;
  return redirect(
    back,
    total === 0
      ? `Nothing is left to send to ${recipient.name}.`
      : `${counted(total, one, many)} ${total === 1 ? "is" : "are"} being sent to ${recipient.name}.`,
  );
}

function showProgress(context: DeliveriesContext, kind: RecipientKind): PageResult {
  const { recipient, back } = recipientOf(context, kind);
  const { deliveries } = context.services;
  return fragment(
    <RecipientNow recipient={recipient} path={back} words={kind.words} deliveries={deliveries} />,
  );
}
