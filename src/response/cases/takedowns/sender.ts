import { emailFailures } from "../../../messaging/channels/failures.ts";
import { classify } from "../../../messaging/channels/email/outcome.ts";
import type { Letter, SmtpResult } from "../../../messaging/channels/email/smtp.ts";
import type { NotAttempted } from "../../../messaging/deliveries/channel.ts";
import type { Instant, Timer } from "../../../platform/lib/clock.ts";
import type { DeliveryState } from "./report.ts";
import { hiding } from "../../../messaging/channels/http/secrets.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { composeReport } from "./email.ts";
import type { ReportRow } from "./rows.ts";
import { createTakedownStore, type TakedownStore } from "./store.ts";

/** Columns of a report after an attempt to send it. */
export interface AttemptOutcome {
  delivery: DeliveryState;
  /** Words of the mail server, or what went wrong; escaped for display. */
  deliveryResponse: string | null;
  attempts: number;
  attemptAt: Instant | null;
  sentAt: Instant | null;
}

const minuteMs = 60_000;
/** Delays after failed attempts, 8 hours 36 minutes in total. Then the report fails, and a person decides. */
export const retryDelaysMs = [1, 5, 30, 120, 360].map((minutes) => minutes * minuteMs);

/**
 * Returns what follows from a conversation with the mail server. An email that may have arrived is never sent again
 * without a person: a registrar that receives two copies of each report reads neither.
 * @param attempts attempts before this one
 * @param isSending whether the conversation reached the email itself, so that it may have arrived
 */
function outcomeOfAttempt(
  result: SmtpResult | NotAttempted,
  { attempts: before, isSending, now }: { attempts: number; isSending: boolean; now: Instant },
): AttemptOutcome {
  const waiting = { attempts: before, sentAt: null };
  if (typeof result === "string" && isSending)
    return {
      attempts: before + 1,
      sentAt: null,
      delivery: "interrupted",
      deliveryResponse: "phishwatch ended while it was sending",
      attemptAt: null,
    };
  // Nothing was sent: phishwatch ends, or is short of descriptors.
  if (typeof result === "string")
    return { ...waiting, delivery: "queued", deliveryResponse: null, attemptAt: now + minuteMs };
  const attempts = before + 1;
  const { failure, error, consequence, response } = classify(result, null, { isTest: true });
  const done = { attempts, attemptAt: null, sentAt: null };
  if (failure === null) return { ...done, delivery: "sent", deliveryResponse: response, sentAt: now };
  const deliveryResponse = error;
  if (
    result.outcome === "failed" &&
    result.step === "content" &&
    result.reply === "" &&
    result.cause !== "size"
  )
    return { ...done, delivery: "interrupted", deliveryResponse };
  if (consequence === "drop") return { ...done, delivery: "bounced", deliveryResponse };
  const delayMs = retryDelaysMs[attempts - 1];
  const advice = emailFailures[failure];
  if (delayMs === undefined)
    return { ...done, delivery: "failed", deliveryResponse: `${error ?? ""}. ${advice}` };
  return { ...done, delivery: "queued", deliveryResponse, attemptAt: now + delayMs };
}

/** A mail server that accepts letters. */
export interface Mailer {
  send(
    letter: Letter,
    options: { signal: AbortSignal; onSending: () => void },
  ): Promise<SmtpResult | NotAttempted>;
  /** Texts that a response must not repeat in what is kept of it. */
  secrets: readonly string[];
}

interface SenderDependencies extends Needs<"clock" | "database" | "log"> {
  /** Null: no mail server is set. */
  mailer: () => Mailer | null;
  /** Returns the addresses in the headers; null: no sender is set. */
  addresses: () => { from: string; replyTo: string | null } | null;
}

/** A database that cannot be written is tried again after this time. */
const pauseMs = 60_000;

/**
 * Sends queued reports, one after another.
 * Before the connection is opened, the report is stored as `sending`. If the process is killed after that, it is not known
 * whether the email left: the next start marks it `interrupted`, and a person decides whether to send it again.
 */
export function createReportSender({ clock, database, log, mailer, addresses }: SenderDependencies) {
  const store = createTakedownStore(database);
  const attempt = createAttempt({ addresses, clock, database, log, mailer, store });
  const abort = new AbortController();
  let isStarted = false;
  /** Reports that an earlier process was sending are marked before anything is sent. */
  let isMarked = false;
  let timer: Timer | undefined;
  let working: Promise<void> | undefined;

  /** Sends what is due now. */
  function wake(): void {
    if (!isStarted || abort.signal.aborted || working !== undefined) return;
    timer?.cancel();
    timer = undefined;
    working = work()
      .catch((error: unknown) => {
        logDropped(log, error, "takedown.not_sent");
        timer = clock.after(pauseMs, wake);
      })
      .finally(() => (working = undefined));
  }

  async function work(): Promise<void> {
    if (!isMarked) {
      const interrupted = await database.write(() => store.interrupted.all());
      isMarked = true;
      if (interrupted.length > 0) log.event("takedown.interrupted", { count: interrupted.length });
    }
    await attempt.storeOutcome();
    for (;;) {
      const next = store.nextQueued.get();
      if (next === undefined || next.attemptAt === null || abort.signal.aborted) return;
      if (next.attemptAt > clock.now()) {
        timer = clock.at(next.attemptAt, wake);
        return;
      }
      await attempt.run(next, abort.signal);
    }
  }

  /** Resolves when no email is being sent and none is due now. */
  async function settled(): Promise<void> {
    if (working === undefined) return;
    await working;
    return settled();
  }

  return {
    async start() {
      isStarted = true;
      wake();
      await working;
    },

    /** Waits for the email that is being sent, if any. */
    async stop() {
      abort.abort();
      timer?.cancel();
      await working;
    },
    wake,
    settled,
  };
}

/** Makes single attempts to send a queued report, and stores their outcome. */
function createAttempt({
  addresses,
  clock,
  database,
  log,
  mailer,
  store,
}: SenderDependencies & { store: TakedownStore }) {
  async function letterOf(row: ReportRow): Promise<Letter | null> {
    const sender = addresses();
    if (sender === null || row.recipientEmail === null || row.messageId === null) return null;
    const previous = row.previousSeq === null ? undefined : store.report.get({ seq: row.previousSeq });
    const files = store.files.all({ reportSeq: row.seq }).filter(({ attached }) => attached);
    const content = await composeReport({
      ...sender,
      to: row.recipientEmail,
      subject: row.subject,
      body: row.body,
      date: new Date(row.createdAt),
      messageId: row.messageId,
      inReplyTo: row.purpose === "follow_up" ? (previous?.messageId ?? null) : null,
      files: files.map(({ name, mediaType, position }) => ({
        name,
        mediaType,
        content: store.fileContent.get({ reportSeq: row.seq, position })?.content ?? new Uint8Array(),
      })),
    });
    return { from: sender.from, to: [row.recipientEmail], content };
  }

  /** Stores the outcome of the last attempt; undefined once that is done. */
  let unstored: (() => Promise<void>) | undefined;

  async function storeOutcome(): Promise<void> {
    await unstored?.();
    unstored = undefined;
  }

  async function run(row: ReportRow, signal: AbortSignal): Promise<void> {
    const { seq } = row;
    const letter = await letterOf(row);
    const claimed = await database.write(() => {
      // It may have been closed in the meantime.
      if (store.report.get({ seq })?.delivery !== "queued") return false;
      if (isObsolete(store, seq)) {
        store.setDelivery.run({ ...row, delivery: "failed", deliveryResponse: obsolete, attemptAt: null });
        return false;
      }
      store.setDelivery.run({ ...row, delivery: "sending", attemptAt: null });
      return true;
    });
    if (!claimed) return;
    const server = mailer();
    let isSending = false;
    const result =
      letter === null || server === null
        ? noMailServer
        : await server.send(letter, { signal, onSending: () => (isSending = true) });
    const outcome = outcomeOfAttempt(result, { attempts: row.attempts, isSending, now: clock.now() });
    const hide = hiding(server?.secrets ?? []);
    const deliveryResponse = outcome.deliveryResponse === null ? null : hide(outcome.deliveryResponse);
    unstored = async () => {
      await database.write(() => {
        // A person may have recorded a bounce in the meantime.
        if (store.report.get({ seq })?.delivery === "sending")
          store.setDelivery.run({ seq, ...outcome, deliveryResponse });
      });
      log.event("takedown.attempted", {
        report: row.reference,
        state: outcome.delivery,
        response: deliveryResponse,
      });
    };
    await storeOutcome();
  }

  return {
    run,
    /** Stores the outcome of the last attempt, if the database could not be written after it. */
    storeOutcome,
  };
}

const obsolete = "not sent, because its threats were deleted or marked as false positives";

/** Returns whether a queued report is no longer needed: hours may have passed since it was written. */
function isObsolete(store: TakedownStore, reportSeq: number): boolean {
  const covered = store.takedownsOfReport.all({ reportSeq });
  return covered.every(({ status }) => status === null || status === "false_positive");
}

const noMailServer: SmtpResult = {
  outcome: "failed",
  durationMs: 0,
  phases: {},
  address: null,
  step: "connect",
  message: "no mail server is set",
  cause: null,
  reply: "",
  rejected: [],
};
