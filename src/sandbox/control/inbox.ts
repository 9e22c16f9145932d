import { toIsoTime, type Instant } from "../../lib/clock.ts";
import type { Endpoint } from "../../webhooks/endpoint-store.ts";
import { verifySignatures, type Verdict } from "../../webhooks/signing.ts";
import type { Failure } from "../faults/failures.ts";

/** One delivery that arrived. */
export interface Message {
  /** 1 for the first, growing. */
  number: number;
  receivedAt: Instant;
  headers: Record<string, string>;
  body: string;
  /** `type` and `id` of the event; undefined when the body says none. */
  type: string | undefined;
  id: string | undefined;
  /** 1 for the first time that this event came here. */
  attempt: number;
  signatures: { service: Verdict; standard: Verdict };
  /** The endpoint whose secret signed it; undefined: none that sends here. */
  endpoint: string | undefined;
  /** How it was answered: a status, or `reset` or `silence`. */
  answered: number | "reset" | "silence";
}

export interface Inbox {
  messages: Message[];
  /** What the next deliveries are to suffer, each so often. */
  failures: { failure: Failure; left: number }[];
  received: number;
}

/** Receivers of webhooks, each of its name, made when it is first spoken of. */
export interface Inboxes {
  get(name: string): Inbox;
  names(): string[];
  /** Keeps a delivery and answers what it is to suffer. */
  take(name: string, delivery: Delivery, endpoints: readonly Endpoint[], now: Instant): Failure;
  clear(name: string): void;
  /** Resolves when `enough` holds or the time is over, with whether it holds. Real time. */
  wait(enough: () => boolean, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
  save(): Map<string, Inbox>;
  /** Takes the place of what there is; whoever waits goes on waiting. */
  restore(saved: ReadonlyMap<string, Inbox>): void;
}

export interface Delivery {
  headers: Record<string, string>;
  body: Uint8Array;
}

export const inboxesMax = 1_000;
const messagesMax = 10_000;

export function createInboxes(): Inboxes {
  let inboxes = new Map<string, Inbox>();
  const waiting = new Set<() => void>();
  const tell = () => {
    for (const look of waiting) look();
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
    take(name, { headers, body }, endpoints, now) {
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
        ...judge(headers, body, endpoints, now),
        answered: failure.answer ?? failure.status ?? 200,
      });
      if (inbox.messages.length > messagesMax) inbox.messages.shift();
      tell();
      return failure;
    },
    clear: (name) => void inboxes.delete(name),
    async wait(enough, timeoutMs, signal) {
      if (enough() || timeoutMs === 0 || signal.aborted) return enough();
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = () => {
        if (enough()) resolve();
      };
      const timer = setTimeout(resolve, timeoutMs);
      signal.addEventListener("abort", () => resolve(), { once: true });
      waiting.add(look);
      await promise;
      waiting.delete(look);
      clearTimeout(timer);
      return enough();
    },
    save: () => copy(inboxes),
    restore(saved) {
      inboxes = copy(saved);
      tell();
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
  try {
    const { id, type } = JSON.parse(text) as { id?: unknown; type?: unknown };
    return {
      id: typeof id === "string" ? id : undefined,
      type: typeof type === "string" ? type : undefined,
    };
  } catch {
    return { id: undefined, type: undefined };
  }
}

/** What a receiver with the secret would find; the best verdict of all endpoints that send here. */
function judge(
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

/** As the control plane shows it. */
export function describeMessage(message: Message) {
  const { number, receivedAt, headers, body, type, id, attempt, signatures, endpoint, answered } = message;
  return {
    number,
    received_at: toIsoTime(receivedAt),
    event_id: id ?? null,
    type: type ?? null,
    attempt,
    signature_valid: signatures.service === "valid" && signatures.standard === "valid",
    signatures,
    endpoint_id: endpoint ?? null,
    answered,
    headers,
    body,
    event: jsonOf(body),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
