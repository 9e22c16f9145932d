import type { Letter, SmtpResult } from "../../messaging/channels/email/smtp.ts";
import type { Endpoint } from "../../messaging/channels/webhook/endpoint.ts";
import { verifySignatures, type Verdict } from "../../messaging/channels/webhook/signing.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { Ending, Failure } from "../faults/failures.ts";
import { fieldsOf, parseJson } from "../../platform/lib/json.ts";
import { jsonFields } from "../../platform/lib/key-names.ts";

/** A received delivery. */
export interface Message {
  /** Counts up from 1. */
  number: number;
  receivedAt: Instant;
  headers: Record<string, string>;
  body: string;
  /** `type` and `id` of the event; undefined if the body has none. */
  type: string | undefined;
  id: string | undefined;
  /** 1 for the first delivery of this event to this inbox. */
  attempt: number;
  signatures: { service: Verdict; standard: Verdict };
  /** ID of the endpoint whose secret signed the delivery; undefined if none of those that send here did. */
  endpoint: string | undefined;
  /** Response of the inbox: a status, `reset` or `silence`. */
  answered: number | Ending;
}

export interface Inbox {
  messages: Message[];
  /** Failures of the next deliveries, each with its remaining count. */
  failures: { failure: Failure; left: number }[];
  received: number;
}

/** Webhook receivers by name, created on first use. */
export type Inboxes = ReturnType<typeof createInboxes>;

export const inboxesMax = 1_000;
const messagesMax = 10_000;

export function createInboxes() {
  let inboxes = new Map<string, Inbox>();
  const waiting = new Set<() => void>();
  const notify = () => {
    for (const check of waiting) check();
  };

  function get(name: string): Inbox {
    const known = inboxes.get(name);
    if (known !== undefined) return known;
    const inbox: Inbox = { messages: [], failures: [], received: 0 };
    inboxes.set(name, inbox);
    return inbox;
  }

  return {
    get,
    names: () => [...inboxes.keys()].sort(),
    /**
     * Stores a delivery and returns its failure, which is empty for a regular response.
     * @param signedAt time with which a signature is compared
     */
    receive(
      name: string,
      { headers, body }: { headers: Record<string, string>; body: Uint8Array },
      endpoints: readonly Endpoint[],
      now: Instant,
      signedAt = now,
    ): Failure {
      const inbox = get(name);
      const failure = nextFailure(inbox);
      const text = new TextDecoder().decode(body);
      const { id, type } = eventOf(text);
      inbox.received += 1;
      inbox.messages.push({
        number: inbox.received,
        receivedAt: now,
        headers,
        body: text,
        id,
        type,
        attempt: inbox.messages.filter((message) => message.id === id).length + 1,
        ...checkSignatures(headers, body, endpoints, signedAt),
        answered: failure.ending ?? failure.status ?? 200,
      });
      if (inbox.messages.length > messagesMax) inbox.messages.shift();
      notify();
      return failure;
    },
    clear: (name: string) => void inboxes.delete(name),
    /** Resolves when `enough` returns true or the timeout (in real time) expires, with the value of `enough`. */
    async wait(enough: () => boolean, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
      if (enough() || timeoutMs === 0 || signal.aborted) return enough();
      const { promise, resolve } = Promise.withResolvers<void>();
      const check = () => {
        if (enough()) resolve();
      };
      const timer = setTimeout(resolve, timeoutMs);
      signal.addEventListener("abort", () => resolve(), { once: true });
      waiting.add(check);
      await promise;
      waiting.delete(check);
      clearTimeout(timer);
      return enough();
    },
    save: () => copy(inboxes),
    /** Replaces all inboxes. Pending calls of `wait` continue. */
    restore(saved: ReadonlyMap<string, Inbox>) {
      inboxes = copy(saved);
      notify();
    },
  };
}

function nextFailure(inbox: Inbox): Failure {
  const [next] = inbox.failures;
  if (next === undefined) return {};
  next.left -= 1;
  if (next.left === 0) inbox.failures.shift();
  return next.failure;
}

function eventOf(text: string): { id: string | undefined; type: string | undefined } {
  const { id, type } = fieldsOf(parseJson(text));
  return {
    id: typeof id === "string" ? id : undefined,
    type: typeof type === "string" ? type : undefined,
  };
}

/** Checks the signatures with the secrets of all endpoints that send here. A valid signature takes precedence. */
function checkSignatures(
  headers: Record<string, string>,
  body: Uint8Array,
  endpoints: readonly Endpoint[],
  now: Instant,
): Pick<Message, "signatures" | "endpoint"> {
  const header = (name: string) => headers[name] ?? null;
  const verdicts = endpoints.map(({ id, secret }) => ({
    endpoint: id,
    signatures: verifySignatures({ header, body, secret, now }),
  }));
  const right = verdicts.find(({ signatures }) => signatures.service === "valid") ?? verdicts[0];
  if (right === undefined) {
    const signatures = verifySignatures({ header, body, secret: "", now });
    return { signatures, endpoint: undefined };
  }
  return { ...right, endpoint: right.signatures.service === "valid" ? right.endpoint : undefined };
}

function copy(inboxes: ReadonlyMap<string, Inbox>): Map<string, Inbox> {
  return new Map(
    [...inboxes].map(([name, { messages, failures, received }]) => [
      name,
      { messages: [...messages], failures: failures.map((one) => ({ ...one })), received },
    ]),
  );
}

/** Returns a message in the form of the control plane. */
export function describeMessage(message: Message) {
  const { id: eventId, endpoint: endpointId, signatures, ...rest } = message;
  const signatureValid = signatures.service === "valid" && signatures.standard === "valid";
  return jsonFields(
    { ...rest, eventId, endpointId, signatures, signatureValid, event: parseJson(message.body) },
    "number receivedAt eventId type attempt signatureValid signatures endpointId answered headers body event",
  );
}

/** Inbox of the emails that the sandbox sends. */
const mailInbox = "mail";
const noDurations = { durationMs: 0, phases: {}, address: null };

/**
 * Stores an email in the inbox `mail`, with its envelope as headers. A failure of that inbox is the response of the mail
 * server: 550 rejects the email for good, 451 for now; an ending closes the connection.
 */
export function receiveMail(
  inboxes: Pick<Inboxes, "receive">,
  { content, from, to }: Letter,
  now: Instant,
): SmtpResult {
  const headers = { "mail-from": from, "rcpt-to": to.join(", ") };
  const { ending, status = 250 } = inboxes.receive(mailInbox, { headers, body: content }, [], now);
  if (ending === undefined && status < 400)
    return { ...noDurations, outcome: "done", accepted: [...to], rejected: [], reply: "250 2.0.0 OK" };
  const failed = { ...noDurations, outcome: "failed", step: "content", rejected: [] } as const;
  if (ending !== undefined)
    return { ...failed, message: "the connection was closed", cause: "closed", reply: "" };
  return {
    ...failed,
    message: "message failed",
    cause: null,
    reply: `${status} the sandbox's mail server rejects it`,
  };
}
