import { describeActor, type Actor } from "../../../access/audit/actor.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../../platform/lib/wording.ts";
import type { SearchFilter } from "../../../threats/index/threat-index.ts";
import type { PresentDecision } from "../../../threats/threats/triage/other-decisions.ts";
import type { BatchResult, DecisionOptions, UndoOutcome } from "../../../threats/threats/triage/triage.ts";
import type { Status } from "../../../platform/vocabulary/threats.ts";
import { parseWholeNumber } from "../kit/fields.ts";
import { FlashActions, type Flash, type FlashAction } from "../kit/components.tsx";
import { inWords } from "../kit/inline.tsx";
import { fragment, redirect, type PageResult } from "../kit/page-result.ts";
import { triagePath, undoTriagePath } from "../kit/paths.ts";
import { relativeAge } from "../kit/times.ts";

/** Decisions about a threat, with their keyboard shortcuts. */
export const decisions: readonly { status: Status; label: string; key: string }[] = [
  { status: "resolved", label: "Resolve", key: "r" },
  { status: "false_positive", label: "False positive", key: "f" },
  { status: "active", label: "Reactivate", key: "a" },
];

/** Maximum number of threats that a message names. */
const namedMax = 3;
const nameCharactersMax = 60;

/** Returns whether a threat with this status is not listed in a view. */
export function leavesView({ status: listed }: SearchFilter, status: Status): boolean {
  return listed !== undefined && listed !== status;
}

/**
 * Fields of every form that decides. `mark` stands for the decisions that the page shows. It is read before the threats
 * (`triage.mark`), so that the decision does not replace a later one.
 */
export function seenFields(mark: number): { seen: string } {
  return { seen: String(mark) };
}

/** Returns the options of a decision from its form. */
export function decisionOptions(form: URLSearchParams, by: Actor): DecisionOptions {
  return { by, seen: parseWholeNumber(form.get("seen")), anyway: form.get("anyway") === "yes" };
}

/** Returns the name of an actor as colleagues know it. */
export function nameOfActor({ channel, name }: Pick<Actor, "channel" | "name">): string {
  const shown = name === null ? null : visible(name, nameCharactersMax);
  return channel === "console" && shown !== null
    ? shown
    : describeActor({ channel, name: shown, address: null });
}

/**
 * Describes a decision, with a button that undoes it, and one that also decides about the threats that keep a decision
 * of another person.
 */
export function decidedFlash(given: {
  result: BatchResult;
  status: Status;
  /** Page of the console to return to after a button. */
  back: string;
  now: Instant;
  /** Name of the only threat. */
  name?: string;
}): Flash {
  const { result, status, back, now, name } = given;
  const { batch, changed, decidedBefore, kept, mark, unchanged } = result;
  const id = kept.map((one) => one.id);
  const anyway = { id, status, back, anyway: "yes", ...seenFields(mark) };
  const actions: (FlashAction | false)[] = [
    batch !== undefined && { label: "Undo", path: undoTriagePath, fields: { act: String(batch), back } },
    kept.length > 0 && { label: "Decide anyway", path: triagePath, fields: anyway },
  ];
  const texts = [
    changed === 0
      ? ""
      : `${name === undefined ? counted(changed, "threat is", "threats are") : `${name} is`} now ${inWords(status)}.`,
    keptText(kept, now),
    changed > 0 || kept.length > 0 ? "" : unchangedText({ unchanged, decidedBefore, status, name, now }),
  ];
  return {
    tone: changed > 0 && kept.length === 0 ? "success" : "warning",
    text: texts.filter((text) => text !== "").join(" "),
    action: actions.filter((action) => action !== false),
  };
}

function unchangedText(
  given: Pick<BatchResult, "unchanged" | "decidedBefore"> & { status: Status; name?: string; now: Instant },
) {
  const { unchanged, decidedBefore, status, name, now } = given;
  if (unchanged === 0) return "No changes: the selected threats no longer exist.";
  const already =
    name === undefined
      ? `No changes: ${counted(unchanged, "threat was", "threats were")} already ${inWords(status)}.`
      : `${name} is already ${inWords(status)}.`;
  if (decidedBefore === undefined) return already;
  const { by, at, domain } = decidedBefore;
  const which = name === undefined ? ` about ${visible(domain, nameCharactersMax)}` : "";
  return `${already} ${nameOfActor(by)} decided that${which} ${ago(at, now)}.`;
}

/** Describes the threats that keep another person's decision. */
function keptText(kept: readonly PresentDecision[], now: Instant): string {
  const [only] = kept;
  if (only === undefined) return "";
  if (kept.length > 1)
    return `${grouped(kept.length)} threats keep decisions that others made meanwhile: ${namesOf(kept, now)}.`;
  const { domain, by, status, at } = only;
  return `${visible(domain, nameCharactersMax)} is not changed: ${nameOfActor(by)} decided ${ago(at, now)} that it is ${inWords(status)}.`;
}

function namesOf(decided: readonly PresentDecision[], now: Instant): string {
  const texts = decided
    .slice(0, namedMax)
    .map(
      ({ domain, by, status, at }) =>
        `${visible(domain, nameCharactersMax)} (${inWords(status)}, ${nameOfActor(by)}, ${ago(at, now)})`,
    );
  const more = decided.length - texts.length;
  return `${texts.join(", ")}${more === 0 ? "" : ` and ${grouped(more)} more`}`;
}

function ago(at: Instant, now: Instant): string {
  const age = relativeAge(at, now);
  return age === "now" ? "just now" : age;
}

/** Describes the outcome of an undo. */
export function undoFlash(result: UndoOutcome, now: Instant): Flash {
  switch (result.outcome) {
    case "undone": {
      const { restored, changedSince } = result;
      const text = `${counted(restored, "threat")} restored.`;
      if (changedSince.length === 0) return { tone: "success", text: `Decision undone: ${text}` };
      const keep = counted(changedSince.length, "threat keeps", "threats keep");
      return { tone: "warning", text: `${text} ${keep} a later decision: ${namesOf(changedSince, now)}.` };
    }
    case "undone_before":
      return { tone: "warning", text: "This decision was already undone. No changes were made." };
    default:
      return { tone: "warning", text: "Decisions can be undone for one day. This one is older." };
  }
}

/**
 * Ends a POST of a decision. The script asks for the message only (`x-fragment: toast`), because it changes the page
 * itself; without script, the browser is redirected and shows the message there.
 * @param batch number of the decision, which tells the script that something changed
 * @param left whether the threats have left the view without it, because of an earlier decision
 */
export function endDecision(
  request: Request,
  { to, flash, batch, left }: { to: string; flash: Flash; batch?: number | undefined; left?: boolean },
): PageResult {
  if (request.headers.get("x-fragment") !== "toast") return redirect(to, flash);
  return fragment(<Toast flash={flash} batch={batch} left={left} />);
}

function Toast(props: { flash: Flash; batch: number | undefined; left: boolean | undefined }) {
  const { flash, batch, left } = props;
  const { tone, text, action } = flash;
  return (
    <div class={`toast ${tone}`} role="status" data-batch={batch} data-left={left === true ? "" : undefined}>
      <span>{text}</span>
      <FlashActions action={action} />
    </div>
  );
}
