import type { Instant } from "../../../platform/lib/clock.ts";
import type { CertificateLog, LogProtocol } from "../log.ts";
import type { ListedLog, LogList } from "./log-list.ts";
import { logIdOf } from "../trees/log-key.ts";

/**
 * Whether and why a log is followed:
 * - `followed`: it is
 * - `state`: the publisher of the list does not accept it, or no longer
 * - `not_production`: a test log, or a log that no browser accepts
 * - `operator`: the configuration names other operators
 * - `expired`: every certificate that it accepts has expired
 * - `complete`: it is read-only, and nothing new is in it
 */
export type LogDecision = "followed" | "state" | "not_production" | "operator" | "expired" | "complete";

export interface LogChoice extends ListedLog {
  decision: LogDecision;
}

const followedStates: readonly ListedLog["state"][] = ["qualified", "usable", "readonly"];

interface ChoiceOptions {
  /** Names of operators as the list writes them, in any case; empty: all. */
  operators: readonly string[];
  now: Instant;
  /** Returns the index of the next entry to read, where a log was followed before; else null. */
  nextIndex: (logId: string) => number | null;
  /** Where a log that was never followed starts. */
  firstIndex: "end" | "beginning";
}

/** Decides for each log of a list whether to follow it. */
export function chooseLogs(
  { logs }: Pick<LogList, "logs">,
  { operators, now, nextIndex, firstIndex }: ChoiceOptions,
): LogChoice[] {
  const named = new Set(operators.map((name) => name.toLowerCase()));

  function decide({ log, state, isProduction, interval }: ListedLog): LogDecision {
    if (!followedStates.includes(state)) return "state";
    if (!isProduction) return "not_production";
    if (named.size > 0 && !named.has(log.operator.toLowerCase())) return "operator";
    // A certificate in the log expires before the end of the interval.
    if (interval !== null && interval.end <= now) return "expired";
    if (state !== "readonly") return "followed";
    const next = nextIndex(log.logId) ?? (firstIndex === "beginning" ? 0 : Infinity);
    return next < (log.finalSize ?? 0) ? "followed" : "complete";
  }

  return logs.map((listed) => ({ ...listed, decision: decide(listed) }));
}

/** Returns the logs to follow. A log of the list that the configuration declares too is read as declared. */
export function logsToFollow(
  choices: readonly LogChoice[],
  declared: readonly CertificateLog[],
): CertificateLog[] {
  const isDeclared = new Set(declared.map(({ logId }) => logId));
  const listed = choices.filter(({ decision, log }) => decision === "followed" && !isDeclared.has(log.logId));
  return [...listed.map(({ log }) => log), ...declared];
}

/** Returns the configured operators that are not in the list: probably misspelled. */
export function unknownOperators({ logs }: Pick<LogList, "logs">, operators: readonly string[]): string[] {
  const known = new Set(logs.map(({ log }) => log.operator.toLowerCase()));
  return operators.filter((name) => !known.has(name.toLowerCase()));
}

/** A log that the configuration declares. */
interface DeclaredLog {
  name: string;
  /** Base64 of the SubjectPublicKeyInfo. */
  key: string;
  /** With a slash at its end. */
  url: string;
  origin: string;
  protocol: LogProtocol;
}

/** Returns the log. Throws `LogError` if its key cannot be used. */
export function extraLog({ name, key, url, origin, protocol }: DeclaredLog): CertificateLog {
  return {
    logId: logIdOf(key),
    description: name,
    // Each declared log has a rate of its own.
    operator: name,
    key,
    protocol,
    url,
    origin,
    isExtra: true,
    finalSize: null,
  };
}
