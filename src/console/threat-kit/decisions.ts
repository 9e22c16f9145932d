import { counted } from "../../lib/wording.ts";
import type { SearchFilter } from "../../threat-index/threat-index.ts";
import type { UndoOutcome } from "../../threats/triage/triage.ts";
import type { Status } from "../../vocabulary/threats.ts";
import { inWords } from "../kit/labels.ts";
import type { Flash } from "../kit/page-result.ts";
import { undoTriagePath } from "../kit/paths.ts";

/** Decisions about a threat, with their keyboard shortcuts. */
export const decisions: readonly { status: Status; label: string; key: string }[] = [
  { status: "resolved", label: "Resolve", key: "r" },
  { status: "false_positive", label: "False positive", key: "f" },
  { status: "active", label: "Reactivate", key: "a" },
];

/** Returns whether a threat with this status is not listed in a view. */
export function leavesView({ status: listed }: SearchFilter, status: Status): boolean {
  return listed !== undefined && listed !== status;
}

/**
 * Describes a decision, with a button that undoes it.
 * @param back page of the console to return to after an undo
 */
export function decidedFlash({
  batch,
  changed,
  status,
  back,
}: {
  batch: number;
  changed: number;
  status: Status;
  back: string;
}): Flash {
  return {
    tone: "success",
    text: `${counted(changed, "threat is", "threats are")} now ${inWords(status)}.`,
    action: { label: "Undo", path: undoTriagePath, fields: { act: String(batch), back } },
  };
}

/** Describes the outcome of an undo. */
export function undoFlash(result: UndoOutcome): Flash {
  switch (result.outcome) {
    case "undone": {
      const restored = `${counted(result.restored, "threat")} restored.`;
      if (result.changedSince === 0) return { tone: "success", text: `Decision undone: ${restored}` };
      const skipped = counted(result.changedSince, "threat was", "threats were");
      return {
        tone: "warning",
        text: `${restored} ${skipped} changed since by someone else and left as is.`,
      };
    }
    case "undone_before":
      return { tone: "warning", text: "This decision was already undone. No changes were made." };
    default:
      return { tone: "warning", text: "Decisions can be undone for one day. This one is older." };
  }
}
