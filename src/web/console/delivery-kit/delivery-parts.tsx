import { STATUS_CODES } from "node:http";
import type {
  Attempt,
  Delivery,
  LastAttempt,
  DeliveryLog,
} from "../../../messaging/deliveries/delivery-log.ts";
import { counted, grouped, capitalized, sentence } from "../../../platform/lib/wording.ts";
import { isMessage, titleOf } from "../../../messaging/content/sent-message.ts";
import type { DeliveryStatus } from "../../../platform/vocabulary/channels.ts";
import type { FailedDeliveries, FailureCause } from "../../../messaging/deliveries/store/failure-summary.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { Severity } from "../../../platform/vocabulary/threats.ts";
import type { AttemptResult } from "../../../messaging/deliveries/channel.ts";
import { Time, FlashMessage } from "../kit/components.tsx";
import { StateMark, type Tone, type IconName, inWords, Text } from "../kit/inline.tsx";
import { column, Table, type Column } from "../kit/table.tsx";
import { deliveryPath } from "../kit/paths.ts";
import type { PageServices } from "../shell/services.ts";
import { ComparedName, keywordsReader } from "../threat-kit/compared-name.tsx";

const statusBadges: Record<DeliveryStatus, { tone: Tone; icon?: IconName; label: string }> = {
  failed: { tone: "bad", label: "Failed" },
  pending: { tone: "warn", icon: "clock", label: "Queued" },
  succeeded: { tone: "good", label: "Delivered" },
};
/** Choices of a filter, those that need attention first. */
export const statusChoices = Object.entries(statusBadges).map(([value, { label }]) => ({ value, label }));

export function DeliveryBadge({ status }: { status: DeliveryStatus }) {
  const { label, ...look } = statusBadges[status];
  return <StateMark {...look}>{label}</StateMark>;
}

/**
 * Outcome of a delivery, or its next step.
 * @param attemptsMade number of all attempts, also those before it was sent again
 */
export function NextStep({ delivery, attemptsMade }: { delivery: Delivery; attemptsMade: number }) {
  const { status, attempts, nextAttemptAt, completedAt } = delivery;
  const isSentAgain = attemptsMade > attempts;
  const when = completedAt === null ? null : <Time at={completedAt} relative />;
  if (status === "succeeded")
    return (
      <>
        {attemptsMade <= 1 ? "At the first attempt" : `At attempt ${grouped(attemptsMade)}`}
        {isSentAgain ? `, ${ordinal(attempts)} since it was sent again` : ""}, {when}
      </>
    );
  if (status === "failed")
    return (
      <>
        After {counted(attemptsMade, "attempt")}
        {isSentAgain ? `, ${grouped(attempts)} of them since it was sent again` : ""}, {when}. It is not
        retried.
      </>
    );
  if (nextAttemptAt === null)
    return <>Waits until the {isMessage(delivery) ? "channel" : "endpoint"} is enabled.</>;
  return (
    <>
      {attemptsMade === 0 ? "First attempt" : `${counted(attemptsMade, "attempt")} failed. Next attempt`}{" "}
      <Time at={nextAttemptAt} relative="next" />
    </>
  );
}

function ordinal(attempts: number): string {
  return attempts <= 1 ? "the first" : `number ${grouped(attempts)}`;
}

/** Consecutive attempts with the same outcome. */
interface SameAttempts {
  first: Attempt;
  last: Attempt;
  count: number;
  durationsMs: { min: number; max: number };
}

/** Joins consecutive attempts with equal results and responses: a receiver that is down responds the same each time. */
function joinSame(attempts: readonly Attempt[]): SameAttempts[] {
  const groups: SameAttempts[] = [];
  for (const attempt of attempts) {
    const group = groups.at(-1);
    const { durationMs } = attempt;
    if (group === undefined || !isSame(group.first, attempt)) {
      const durationsMs = { min: durationMs, max: durationMs };
      groups.push({ first: attempt, last: attempt, count: 1, durationsMs });
      continue;
    }
    const { min, max } = group.durationsMs;
    group.durationsMs = { min: Math.min(min, durationMs), max: Math.max(max, durationMs) };
    group.last = attempt;
    group.count += 1;
  }
  return groups;
}

const comparedFields = ["statusCode", "failure", "error", "response", "address"] as const;
const isSame = (one: Attempt, other: Attempt) => comparedFields.every((field) => one[field] === other[field]);

const attemptColumns: Column<SameAttempts>[] = [
  column("Time", "title", ({ first, last, count }) => (
    <>
      <Time at={first.startedAt} seconds />
      {count === 1 ? null : (
        <p>
          to <Time at={last.startedAt} seconds />
        </p>
      )}
    </>
  )),
  column("Result", "tight state", ({ first, count }) => (
    <>
      <StateMark tone={first.failure === null ? "good" : "bad"}>
        {first.statusCode === null
          ? first.failure === null
            ? "Delivered"
            : inWords(first.failure)
          : resultOf(first)}
      </StateMark>
      {count === 1 ? null : <p>{counted(count, "equal attempt")}</p>}
    </>
  )),
  column("Duration", "number end", ({ durationsMs: { min, max } }) => (
    <span class="tight">{min === max ? `${grouped(min)} ms` : `${grouped(min)}–${grouped(max)} ms`}</span>
  )),
  column("Error and response", "wide under", ({ first: { error, response, address } }) => (
    <>
      {error === null ? null : (
        <div>
          <Text text={error} charactersMax={500} />
        </div>
      )}
      {address === null ? null : <div class="hint">to {address}</div>}
      <ResponseStart response={response} />
    </>
  )),
];

export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <Table caption="Attempts" columns={attemptColumns} rows={joinSame(attempts)} empty="No attempts yet." />
  );
}

const responseLinesMax = 20;

/** Start of a response, always shown as text. */
export function ResponseStart({ response }: { response: string }) {
  // Hidden characters are stored escaped. Line breaks and tabs should be visible as such.
  const text = response
    .replaceAll(/(?:\\u\{d\})?\\u\{a\}/g, "\n")
    .replaceAll("\\u{9}", "\t")
    .trim();
  if (text === "") return null;
  const shown = text.split("\n").slice(0, responseLinesMax).join("\n");
  return (
    <pre class="response" tabIndex={0} aria-label="Start of the response">
      <bdi>{shown}</bdi>
    </pre>
  );
}

/** Texts about the outcome of attempts. All of them are safe to show: hidden characters are escaped. */

const errorCharactersMax = 160;
const responseCharactersMax = 80;

/** Returns the result of an attempt: `503 Service Unavailable`, or the reason why there was no response. */
export function resultOf({ failure, statusCode, error }: Omit<LastAttempt, "durationMs">): string {
  if (statusCode !== null && (failure === null || failure === "status"))
    return `${statusCode} ${STATUS_CODES[statusCode] ?? ""}`.trim();
  if (failure === null) return "Accepted";
  return capitalized(visible(error ?? inWords(failure), errorCharactersMax));
}

/** Returns the cause in a sentence: `401 Unauthorized (“token expired”)`. */
export function causeText(cause: Omit<FailureCause, "total">): string {
  const start = firstLine(cause.response ?? "");
  const result = resultOf(cause);
  return start === "" ? result : `${result} (“${start}”)`;
}

/** Returns the first line of a response, as it is stored: with hidden characters escaped. */
function firstLine(response: string): string {
  const [line = ""] = response
    .replaceAll(/\\u\{[ad9]\}/g, "\n")
    .trim()
    .split("\n");
  return line.slice(0, responseCharactersMax).trim();
}

/** How many deliveries failed and why: `867 deliveries to soc failed for good`, `All with 401 Unauthorized.` */
interface FailureTexts {
  title: string;
  causes: string;
}

/** @param one what one delivery is called, such as "message" */
export function failureTexts(
  { causes, examined, more, total }: FailedDeliveries,
  { one, many, to }: { one: string; many: string; to?: string },
): FailureTexts {
  const target = to === undefined ? "" : ` to ${to}`;
  const [first] = causes;
  const isWhole = !more && examined === total;
  const title = `${more ? "More than " : ""}${counted(total, one, many)}${target} failed for good`;
  if (first === undefined) return { title, causes: "" };
  const named = causes.reduce((sum, cause) => sum + cause.total, 0);
  const others = examined - named;
  if (causes.length === 1 && others === 0) {
    const all = isWhole
      ? total === 1
        ? "With"
        : "All with"
      : `The latest ${grouped(examined)} of them with`;
    return { title, causes: `${all} ${causeText(first)}.` };
  }
  const parts = causes.map((cause) => `${grouped(cause.total)} with ${causeText(cause)}`);
  if (others > 0) parts.push(`${grouped(others)} for other reasons`);
  const last = parts.pop()!;
  const list = parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
  return { title, causes: `${isWhole ? "" : `Of the latest ${grouped(examined)}: `}${list}.` };
}

/** Content of a delivery, as far as a row shows it. */
interface Sent {
  /** Event type, or nothing for a message. */
  type: string | undefined;
  /** Title of a message, or subject of an event that is not about a threat. */
  text: string | undefined;
  threat:
    { domain: string; protectedDomain: string; keywords: readonly string[]; severity: Severity } | undefined;
}

type SentServices = Pick<PageServices, "domains" | "threats"> & { log: Pick<DeliveryLog, "body"> };

/** Returns a function that says what each delivery contains. */
export function sentReader({ domains, log, threats }: SentServices): (delivery: Delivery) => Sent {
  const keywordsOf = keywordsReader(domains.list());
  return (delivery) => {
    if (isMessage(delivery)) return { type: undefined, text: titleOf(delivery, log), threat: undefined };
    const data = dataOf(log.body(delivery.id));
    const id = data.threat?.id;
    const known = typeof id === "string" ? threats.detail(id) : undefined;
    return {
      type: delivery.eventType,
      text: subjectOf(data),
      threat: known && { ...known, keywords: keywordsOf(known.protectedDomain) },
    };
  };
}

/** Parts of an event's payload that name its subject. Their types are not checked: another version may have stored it. */
interface Payload {
  threat?: { id?: unknown; domain?: unknown } | null;
  scan?: { protected_domains?: unknown };
  beacon?: { name?: unknown };
  token?: { name?: unknown };
}

function dataOf(body: string | undefined): Payload {
  if (body === undefined) return {};
  const { data } = (JSON.parse(body) ?? {}) as { data?: unknown };
  return typeof data === "object" && data !== null ? data : {};
}

const namesMax = 2;

function subjectOf({ threat, scan, beacon, token }: Payload): string | undefined {
  const domains = scan?.protected_domains;
  if (Array.isArray(domains)) {
    const rest = domains.length - namesMax;
    return `${domains.slice(0, namesMax).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
  }
  const name = beacon?.name ?? token?.name ?? threat?.domain;
  return typeof name === "string" ? name : undefined;
}

/** Content of a delivery: the marked name or the title, which links to the delivery, and the type of the event. */
export function SentLink({ delivery, sent }: { delivery: Delivery; sent: Sent }) {
  const { type, text, threat } = sent;
  return (
    <>
      <a class="ink" href={deliveryPath(delivery)}>
        <SentName sent={sent} />
      </a>
      {type === undefined || (text === undefined && threat === undefined) ? null : (
        <p>
          {type}
          {threat === undefined ? null : ` · ${threat.severity}`}
        </p>
      )}
    </>
  );
}

/** The marked name of the threat, or the title. */
export function SentName({ sent: { type, text, threat } }: { sent: Sent }) {
  if (threat === undefined) return <Text text={text ?? type ?? "message"} charactersMax={200} />;
  return <ComparedName {...threat} />;
}

/** Outcome of a test, with advice on how to fix a failure. */
export interface TestShown extends Pick<
  AttemptResult,
  "statusCode" | "durationMs" | "error" | "failure" | "response"
> {
  advice: string;
}

/** Returns what the next page shows of a test. */
export function testShown(result: AttemptResult, advice: string | undefined): TestShown {
  const { statusCode, durationMs, error, failure, response } = result;
  return { statusCode, durationMs, error, failure, response, advice: advice ?? "" };
}

/** Result of a test, shown once. */
export function TestNote({ test }: { test: TestShown }) {
  const { advice, durationMs, error, failure, response, statusCode } = test;
  if (failure === null)
    return (
      <FlashMessage
        flash={{
          tone: "success",
          text: `Test delivered${statusCode === null ? "" : `: status ${statusCode}`} in ${durationMs} ms.`,
        }}
      />
    );
  return (
    <>
      <FlashMessage
        flash={{ tone: "danger", text: `Test failed: ${sentence(error ?? failure)} ${advice}`.trim() }}
      />
      <ResponseStart response={response} />
    </>
  );
}
