import { STATUS_CODES } from "node:http";
import type { LastAttempt } from "../../../../messaging/deliveries/delivery-log.ts";
import type {
  FailedDeliveries,
  FailureCause,
} from "../../../../messaging/deliveries/store/failure-summary.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { capitalized, counted, grouped } from "../../../../platform/lib/wording.ts";
import { inWords } from "../../kit/labels.ts";

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
