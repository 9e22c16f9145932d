import type { Recipient } from "../../../messaging/deliveries/recipients.ts";
import type { ReplayRequest } from "../../../messaging/deliveries/replay.ts";
import { toIsoTime, type Instant } from "../../../platform/lib/clock.ts";
import { badRequest, notFound } from "../../../platform/lib/errors.ts";
import { counted, grouped } from "../../../platform/lib/wording.ts";
import { replaySelections } from "../../../platform/vocabulary/channels.ts";
import { LinkButton, Section, Time } from "../kit/components.tsx";
import { attempt, wholeForm } from "../kit/fields.ts";
import { Button, Choices, type Choice, Form, HiddenFields, TextField, PostButton } from "../kit/form.tsx";
import { page, redirect, fragment } from "../kit/page-result.ts";
import { deliveriesToPath } from "../kit/paths.ts";
import type { Context, Route } from "../shell/router.ts";
import { Text } from "../kit/inline.tsx";
import { causeText } from "./delivery-parts.tsx";
import replayWords from "./replay-words.json" with { type: "json" };
import { RecipientNow, type RecipientWords } from "./recipient-parts.tsx";

/** Texts of the page for one kind of recipients. */
interface Words {
  title: string;
  lead: string;
  /** Deliveries to choose from. */
  choices: readonly Choice[];
}

/** Replay of events for programs. */
export const eventReplay: Words = replayWords.events;
/** Replay of messages for people. They miss none: what a disabled channel is sent waits. */
export const messageReplay: Words = replayWords.messages;

/** Returns a function that finds the recipient of a page. @param kinds channels of these recipients */
function recipientFinder(kinds: readonly string[]) {
  return ({ params, services: { deliveries } }: Context<"deliveries">): Recipient => {
    const id = params["id"] ?? "";
    const found = kinds.map((kind) => deliveries.recipients.find(kind, id)).find((one) => one?.id === id);
    if (found === undefined) throw notFound("There is no recipient with this ID.");
    return found;
  };
}

/**
 * Routes for replaying events: the first step shows the number of deliveries, the second sends them.
 * @param options.base address of the recipients' list, below which each has its page
 * @param options.kinds channels of these recipients
 */
export function replayRoutes(given: {
  base: string;
  kinds: readonly string[];
  words: Words;
}): Route<"deliveries">[] {
  const { base, kinds, words } = given;
  const path = `${base}/:id/replay`;

  const recipientOf = recipientFinder(kinds);

  async function send(context: Context<"deliveries">) {
    const recipient = recipientOf(context);
    const { replay } = context.services.deliveries;
    const made = await attempt(() => replay.run(readRequest(recipient, context.form), { by: context.by }));
    if (!made.ok) return show(context, { base, recipient, form: context.form, words, message: made.message });
    return redirect(
      deliveriesToPath(recipient),
      `${counted(made.value, "delivery is", "deliveries are")} being sent to ${recipient.name}.`,
    );
  }

  return [
    {
      method: "GET",
      path,
      permission: "administer",
      run: (context) => show(context, { base, recipient: recipientOf(context), form: context.query, words }),
    },
    { method: "POST", path, permission: "administer", run: send },
  ];
}

async function show(
  { services }: Context<"deliveries">,
  {
    base,
    recipient,
    form,
    words: { title, lead, choices },
    message,
  }: {
    base: string;
    recipient: Recipient;
    form: URLSearchParams;
    words: Words;
    message?: string;
  },
) {
  const back = `${base}/${recipient.id}`;
  const asked = form.has("which");
  const counting =
    asked && message === undefined
      ? await attempt(() => {
          const request = readRequest(recipient, form);
          return { request, count: services.deliveries.replay.count(request) };
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

/**
 * Routes that send a recipient everything that it was not delivered, with the numbers first, and the fragment that shows
 * the progress.
 * @param options.base address of the recipients' list, below which each has its page
 * @param options.kinds channels of these recipients
 * @param options.duplicates what receivers notice of an event or message that they have received before
 */
export function sendAllRoutes(given: {
  base: string;
  kinds: readonly string[];
  words: RecipientWords;
  duplicates: string;
}): Route<"deliveries">[] {
  const { base, kinds, words, duplicates } = given;
  const path = `${base}/:id/send-all`;

  const recipientOf = recipientFinder(kinds);

  function ask(context: Context<"deliveries">) {
    const recipient = recipientOf(context);
    const back = `${base}/${recipient.id}`;
    if (!recipient.enabled) throw badRequest(`${recipient.name} is disabled; enable it first`);
    const { failures, sendAll } = context.services.deliveries;
    const { failed, queued } = sendAll.count(recipient.seq, Number.MAX_SAFE_INTEGER);
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
            All are sent now, oldest first. {duplicates}
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
          <PostButton
            action={`${back}/test`}
            label={`Send test ${words.one === "message" ? "message" : "event"}`}
          />
          <LinkButton path={back} label="Cancel" variant="plain" />
        </div>
      </section>,
    );
  }

  async function send(context: Context<"deliveries">) {
    const { id, name } = recipientOf(context);
    const { failed, queued } = await context.services.deliveries.sendAll.run(id, { by: context.by });
    const total = failed + queued;
    return redirect(
      `${base}/${id}`,
      total === 0
        ? `Nothing is left to send to ${name}.`
        : `${counted(total, words.one, words.many)} ${total === 1 ? "is" : "are"} being sent to ${name}.`,
    );
  }

  function progress(context: Context<"deliveries">) {
    const recipient = recipientOf(context);
    const { deliveries } = context.services;
    return fragment(
      <RecipientNow
        recipient={recipient}
        path={`${base}/${recipient.id}`}
        words={words}
        deliveries={deliveries}
      />,
    );
  }

  return [
    { method: "GET", path, permission: "administer", run: ask },
    { method: "POST", path, permission: "administer", run: send },
    { method: "GET", path: `${base}/:id/now`, permission: "read", run: progress },
  ];
}
