import type { Attempt, Delivery } from "../../deliveries/delivery-log.ts";
import { toIsoTime, type Instant } from "../../lib/clock.ts";
import { visible } from "../../lib/safe-text.ts";
import { counted } from "../../lib/wording.ts";
import { deliveryStatuses } from "../../vocabulary/deliveries.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { choice, configFlag, jsonFlag, number, text } from "../terminal/flags.ts";
import { printJson, printRows, renderFacts, renderTable, shortTime, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

const columns: Column<Delivery>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "EVENT", cell: ({ eventType }) => eventType },
  { title: "ENDPOINT", cell: ({ recipientName }) => recipientName, elastic: true },
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

export const deliveriesCommand = command({
  name: "deliveries",
  arguments: "[delivery]",
  summary: "list deliveries, newest first, or show one with its attempts",
  flags: {
    endpoint: text("--endpoint <endpoint>", "only deliveries to this endpoint (name or identifier)"),
    event: text("--event <id>", "only deliveries of this event"),
    status: choice("--status <status>", deliveryStatuses, "only deliveries with this status", undefined),
    limit: number(
      "--limit <count>",
      { minimum: 1, maximum: 1_000, whole: true },
      "maximum number of deliveries",
      50,
    ),
    before: text("--before <delivery>", "only deliveries older than this one, for the next page"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch webhooks deliveries --status failed", "deliveries that failed"],
    ["phishwatch webhooks deliveries dlv_01kf0z7m3yeqz9x8r4p6s2t5vw", "one delivery with its attempts"],
  ],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ deliveries: { log } }) => {
      const [id] = args;
      if (id !== undefined) {
        const delivery = log.get(id);
        if (delivery === undefined) throw new FailedError(`there is no delivery ${visible(id, 100)}`);
        return showOne(terminal, delivery, log.attempts(id), options.json);
      }
      const { endpoint, event, status, before, limit, json } = options;
      const filter = {
        ...(endpoint === undefined ? {} : { recipient: endpoint }),
        ...(event === undefined ? {} : { event }),
        ...(status === undefined ? {} : { status }),
        ...(before === undefined ? {} : { before }),
      };
      const rows = log.list(filter, limit);
      if (json) for (const row of rows) printJson(terminal.out, shape(row));
      else printRows(terminal, rows, { columns, none: "no deliveries" });
    }),
});

function showOne({ out }: Terminal, delivery: Delivery, attempts: Attempt[], json: boolean): void {
  if (json) return printJson(out, { ...shape(delivery), attempt_log: attempts.map(attemptShape) });
  const { id, eventId, eventType, recipientName, status, createdAt } = delivery;
  out.write(
    renderFacts([
      ["id", id],
      ["event", `${eventId} (${eventType})`],
      ["endpoint", recipientName],
      ["status", status],
      ["created", toIsoTime(createdAt)],
      ["next attempt", nextStep(delivery)],
    ]),
  );
  if (attempts.length > 0) out.write(`\n${renderTable(attemptColumns, attempts, out.columns)}`);
}

function nextStep({ status, attempts, nextAttemptAt }: Delivery): string {
  if (nextAttemptAt !== null) return toIsoTime(nextAttemptAt);
  const made = counted(attempts, "attempt");
  if (status === "succeeded") return `none: delivered with ${made}`;
  return status === "failed" ? `none: failed after ${made}` : "when the endpoint is enabled";
}

export const redeliverCommand = command({
  name: "redeliver",
  arguments: "<delivery...>",
  summary: "send deliveries again, with all their retries",
  details: "A running server sends them at once; otherwise they are sent at the next start.",
  flags: { json: jsonFlag, config: configFlag },
  examples: [["phishwatch webhooks redeliver dlv_01kf0z7m3yeqz9x8r4p6s2t5vw", "after fixing the receiver"]],
  run: ({ args, options, terminal }) =>
    withAppliance({ terminal, options }, ({ database, deliveries: { replay } }) => {
      const by = actorOfShell(terminal.env);
      // In one transaction: if one delivery does not exist, none is sent.
      database.transaction(() => void args.map((id) => replay.redeliver(id, { by })));
      if (options.json) printJson(terminal.out, { deliveries: args.length, queued: true });
      else terminal.err.write(`${counted(args.length, "delivery", "deliveries")} queued\n`);
    }),
});

const time = (instant: Instant | null) => (instant === null ? null : toIsoTime(instant));

function shape(delivery: Delivery) {
  const { id, eventId, eventType, recipientId, recipientName, status, attempts } = delivery;
  return {
    id,
    event_id: eventId,
    event_type: eventType,
    endpoint_id: recipientId,
    endpoint: recipientName,
    status,
    attempts,
    next_attempt_at: time(delivery.nextAttemptAt),
    created_at: toIsoTime(delivery.createdAt),
    completed_at: time(delivery.completedAt),
  };
}

function attemptShape({
  startedAt,
  durationMs,
  phases,
  address,
  statusCode,
  failure,
  error,
  response,
}: Attempt) {
  return {
    started_at: toIsoTime(startedAt),
    duration_ms: durationMs,
    phases,
    address,
    status_code: statusCode,
    failure,
    error,
    answer: response,
  };
}
