import type { App } from "../../app/app.ts";
import type { AttemptResult } from "../../messaging/deliveries/channel.ts";
import type { Attempt, Delivery, DeliveryFilter } from "../../messaging/deliveries/delivery-log.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { jsonFields } from "../../platform/lib/key-names.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted } from "../../platform/lib/wording.ts";
import { isMessage, titleOf } from "../../messaging/content/sent-message.ts";
import { deliveryStatuses } from "../../platform/vocabulary/channels.ts";
import { appCommand, type AppCall } from "../appliance/app-command.ts";
import { FailedError } from "../terminal/command.ts";
import { choice, jsonFlag, number, text } from "../terminal/flags.ts";
import { type Column, printJson, printList, renderFacts, renderTable, shortTime } from "../terminal/table.ts";

/** A group of commands about recipients of one sort. */
export interface RecipientGroup {
  /** Name of the group of commands. */
  command: "webhooks" | "channels";
  /** Name of one recipient: an argument, an option and a property of the JSON output. */
  noun: "endpoint" | "channel";
  /** Name of a recipient in examples. */
  example: string;
  /** Returns the identifiers of all recipients of this sort. */
  recipients(app: App): { id: string }[];
  /** Returns one of them. @throws PublicError `not_found` */
  get(app: App, idOrName: string): { id: string };
}

/** Returns the outcome of a test as its JSON output shows it. */
export function testJson({ failure, response, ...result }: AttemptResult) {
  return {
    ok: failure === null,
    ...jsonFields(result, "statusCode durationMs address"),
    failure,
    error: result.error,
    answer: response,
  };
}

const columnsFor = ({ noun }: RecipientGroup, { log }: App["deliveries"]): Column<Delivery>[] => [
  { title: "ID", cell: ({ id }) => id },
  {
    title: noun === "channel" ? "MESSAGE" : "EVENT",
    cell: (delivery) => titleOf(delivery, log),
    elastic: noun === "channel",
  },
  { title: noun.toUpperCase(), cell: ({ recipientName }) => recipientName, elastic: true },
  { title: "STATUS", cell: ({ status }) => status },
  { title: "ATTEMPTS", cell: ({ attempts }) => String(attempts), right: true },
  { title: "CREATED", cell: ({ createdAt }) => shortTime(createdAt) },
  { title: "NEXT", cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? "" : shortTime(nextAttemptAt)) },
];

const attemptColumns: Column<Attempt>[] = [
  { title: "TIME", cell: ({ startedAt }) => toIsoTime(startedAt) },
  { title: "STATUS", cell: ({ statusCode }) => (statusCode === null ? "" : String(statusCode)), right: true },
  { title: "DURATION", cell: ({ durationMs }) => `${durationMs} ms`, right: true },
  { title: "ERROR", cell: ({ error }) => error ?? "", elastic: true },
  { title: "RESPONSE", cell: ({ response }) => response, elastic: true },
];

export function deliveriesCommand(group: RecipientGroup) {
  const { command: name, noun } = group;
  return appCommand({
    name: "deliveries",
    arguments: "[delivery]",
    summary: "list deliveries, newest first, or show one with its attempts",
    flags: {
      recipient: text(`--${noun} <${noun}>`, `only deliveries to this ${noun} (name or identifier)`),
      event: text("--event <id>", "only deliveries of this event"),
      status: choice("--status <status>", deliveryStatuses, undefined, "only deliveries with this status"),
      limit: number(
        "--limit <count>",
        { minimum: 1, maximum: 1_000, whole: true },
        50,
        "maximum number of deliveries",
      ),
      before: text("--before <delivery>", "only deliveries older than this one, for the next page"),
      json: jsonFlag,
    },
    examples: [
      [`phishwatch ${name} deliveries --status failed`, "deliveries that failed"],
      [`phishwatch ${name} deliveries dlv_01kf0z7m3yeqz9x8r4p6s2t5vw`, "one delivery with its attempts"],
    ],
    run({ app, args: [id], options, terminal }) {
      const { log } = app.deliveries;
      if (id !== undefined) {
        const delivery = log.get(id);
        if (delivery === undefined) throw new FailedError(`there is no delivery ${visible(id, 100)}`);
        return showOne({ app, options, terminal }, group, delivery);
      }
      const { recipient, event, status, before, limit } = options;
      const filter = { event, status, before };
      const recipients = recipient === undefined ? group.recipients(app) : [group.get(app, recipient)];
      printList({ options, terminal }, newest(app, { filter, limit, recipients }), {
        columns: columnsFor(group, app.deliveries),
        json: (delivery) => shape(delivery, group),
        none: "no deliveries",
      });
    },
  });
}

/** Returns the newest deliveries to these recipients. */
function newest(
  { deliveries: { log } }: App,
  {
    filter,
    limit,
    recipients,
  }: { filter: DeliveryFilter; limit: number; recipients: readonly { id: string }[] },
): Delivery[] {
  return recipients
    .flatMap(({ id: recipient }) => log.list({ ...filter, recipient }, limit))
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .slice(0, limit);
}

function showOne(
  {
    app: { deliveries },
    options,
    terminal: { out },
  }: Pick<AppCall<{ json: typeof jsonFlag }>, "app" | "options" | "terminal">,
  group: RecipientGroup,
  delivery: Delivery,
): void {
  const attempts = deliveries.log.attempts(delivery.id);
  if (options.json)
    return printJson(out, { ...shape(delivery, group), attempt_log: attempts.map(attemptShape) });
  const { id, channel, eventId, eventType, recipientName, status, createdAt } = delivery;
  const failure = attempts.at(-1)?.failure ?? null;
  const advice = failure === null ? undefined : deliveries.failureAdvice(channel, failure);
  out.write(
    renderFacts([
      ["id", id],
      isMessage(delivery)
        ? ["message", titleOf(delivery, deliveries.log)]
        : ["event", `${eventId} (${eventType})`],
      [group.noun, recipientName],
      ["status", status],
      ["created", toIsoTime(createdAt)],
      ["next attempt", nextStep(delivery, group)],
      ...(advice === undefined ? [] : [["advice", advice] as [string, string]]),
    ]),
  );
  if (attempts.length > 0) out.write(`\n${renderTable(attemptColumns, attempts, out.columns)}`);
}

function nextStep({ status, attempts, nextAttemptAt }: Delivery, { noun }: RecipientGroup): string {
  if (nextAttemptAt !== null) return toIsoTime(nextAttemptAt);
  const made = counted(attempts, "attempt");
  if (status === "succeeded") return `none: delivered with ${made}`;
  return status === "failed" ? `none: failed after ${made}` : `when the ${noun} is enabled`;
}

export function redeliverCommand({ command: name, noun }: RecipientGroup) {
  return appCommand({
    name: "redeliver",
    arguments: "<delivery...>",
    summary: "send deliveries again, with all their retries",
    details: "A running server sends them at once; otherwise they are sent at the next start.",
    flags: { json: jsonFlag },
    examples: [
      [
        `phishwatch ${name} redeliver dlv_01kf0z7m3yeqz9x8r4p6s2t5vw`,
        `after fixing the ${noun === "endpoint" ? "receiver" : noun}`,
      ],
    ],
    run({ app: { database, deliveries }, args, by, options, terminal }) {
      // In one transaction: if one delivery does not exist, none is sent.
      database.transaction(() => void args.map((id) => deliveries.replay.redeliver(id, { by })));
      if (options.json) printJson(terminal.out, { deliveries: args.length, queued: true });
      else terminal.err.write(`${counted(args.length, "delivery", "deliveries")} queued\n`);
    },
  });
}

function shape(delivery: Delivery, { noun }: RecipientGroup) {
  const { recipientId, recipientName } = delivery;
  return {
    ...jsonFields(delivery, "id eventId eventType"),
    [`${noun}_id`]: recipientId,
    [noun]: recipientName,
    ...jsonFields(delivery, "status attempts nextAttemptAt createdAt completedAt"),
  };
}

function attemptShape(attempt: Attempt) {
  return {
    ...jsonFields(attempt, "startedAt durationMs phases address statusCode failure error"),
    answer: attempt.response,
  };
}
