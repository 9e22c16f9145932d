import { visible } from "../../../platform/lib/safe-text.ts";
import type { EmailFailure } from "../failures.ts";
import type { RejectedAddress, SmtpResult } from "./smtp.ts";

/** Progress of a message that some of its recipients have accepted. */
export interface Progress {
  accepted: readonly string[];
  /** Attempts in which at least one recipient was left. */
  attempts: number;
}

export interface Outcome {
  /** Null on success. */
  failure: EmailFailure | null;
  error: string | null;
  consequence: "retry" | "drop";
  /** Code of the server's response. */
  statusCode: number | null;
  /** Responses of the server, escaped for display. */
  response: string;
  /** Progress to remember; null: the message is complete, or no recipient has accepted it. */
  progress: Progress | null;
  /** Recipients that did not and will not get the message, although it counts as delivered. */
  lost: readonly RejectedAddress[];
}

/**
 * Attempts after which a message counts as delivered although the server still asks to try some recipients again. With
 * the default schedule, the last attempt is 36 minutes after the first: longer than servers delay unknown senders.
 * More would disable the whole channel when one mailbox is full for days.
 */
const attemptsMax = 4;
const responseCharactersMax = 1_000;
const errorCharactersMax = 500;

/**
 * Classifies a conversation:
 * - No recipient is sent a message twice: those that accepted it are left out of the next attempt.
 * - A rejected recipient does not keep the others from their messages: as soon as one recipient has accepted a message,
 *   only those that the server asks to try again are tried again, a few times.
 * - A test fails if one recipient is rejected: a person waits for its outcome.
 * - Problems that a person can fix (certificate, password, sender) are retried, so that no message is lost.
 */
export function classify(
  result: SmtpResult,
  before: Progress | null,
  { isTest = false }: { isTest?: boolean } = {},
): Outcome {
  const { reply, rejected } = result;
  const base = { statusCode: codeOf(reply), lost: [], progress: before } as const;
  if (result.outcome === "done" || (result.step === "recipients" && rejected.length > 0))
    return afterRecipients({
      accepted: [...(before?.accepted ?? []), ...(result.outcome === "done" ? result.accepted : [])],
      attempts: (before?.attempts ?? 0) + 1,
      isTest,
      rejected,
      reply,
    });
  const failure = failureOf(result);
  const error = reply === "" ? result.message : `${result.message}: ${reply}`;
  return {
    ...base,
    failure,
    error: visible(error, errorCharactersMax),
    consequence: failure === "rejected" ? "drop" : "retry",
    response: visible(reply, responseCharactersMax),
  };
}

function afterRecipients({
  accepted,
  attempts,
  isTest,
  rejected,
  reply,
}: {
  accepted: readonly string[];
  attempts: number;
  isTest: boolean;
  rejected: readonly RejectedAddress[];
  reply: string;
}): Outcome {
  const statusCode = codeOf(reply);
  const replies = repliesOf(rejected);
  // A conversation that ends with a rejected recipient has the same reply.
  const isNew = !rejected.some((one) => one.reply === reply);
  const response = visible([...(isNew ? [reply] : []), ...replies].join("; "), responseCharactersMax);
  const base = { statusCode, response };
  const again = rejected.some(({ temporary }) => temporary);
  const isComplete = rejected.length === 0 || (!isTest && (!again || attempts >= attemptsMax));
  if (accepted.length > 0 && isComplete)
    return { ...base, failure: null, error: null, consequence: "retry", progress: null, lost: rejected };
  const progress = accepted.length > 0 ? { accepted, attempts } : null;
  const who = accepted.length > 0 ? "some recipients" : "all recipients";
  const error = visible(`the mail server rejected ${who}: ${replies.join("; ")}`, errorCharactersMax);
  if (again) return { ...base, failure: "recipients", error, consequence: "retry", progress, lost: [] };
  return { ...base, failure: "rejected", error, consequence: "drop", progress, lost: [] };
}

/** Returns each reply once, after the recipients that it rejects: servers repeat one text for all of them. */
function repliesOf(rejected: readonly RejectedAddress[]): string[] {
  const texts = Map.groupBy(rejected, ({ address, reply }) => reply.replace(`<${address}>: `, ""));
  return [...texts].map(([text, same]) => `${same.map(({ address }) => address).join(", ")}: ${text}`);
}

function failureOf({ step, cause, reply }: Extract<SmtpResult, { outcome: "failed" }>): EmailFailure {
  if (cause === "size") return "rejected";
  if (cause !== null) return cause;
  if (step === "dns" || step === "connect" || step === "tls") return step;
  if (reply !== "" && codeOf(reply) === null) return "protocol";
  if (reply.startsWith("4")) return "temporary";
  switch (step) {
    case "login":
    case "sender":
      return step;
    case "greeting":
      return "denied";
    case "recipients":
    case "content":
      return "rejected";
  }
}

/** Returns the code at the start of a response: 250. */
function codeOf(reply: string): number | null {
  const [code] = /^[2-5]\d\d\b/.exec(reply) ?? [];
  return code === undefined ? null : Number(code);
}
