import { counted } from "../../lib/wording.ts";
import type { UndoOutcome } from "../../threats/triage/triage.ts";
import type { Status } from "../../vocabulary/threats.ts";
import type { Flash } from "../kit/page-result.ts";

/** Decisions about a threat, with their keyboard shortcuts. */
export const decisions: readonly { status: Status; label: string; key: string }[] = [
  { status: "resolved", label: "Resolve", key: "r" },
  { status: "false_positive", label: "Mark as false positive", key: "f" },
  { status: "active", label: "Reactivate", key: "a" },
];

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
