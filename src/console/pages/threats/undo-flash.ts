import { counted } from "../../../lib/wording.ts";
import type { UndoOutcome } from "../../../threats/triage.ts";
import type { Flash } from "../../kit/page-result.ts";

/** What came of undoing a decision. */
export function undoFlash(result: UndoOutcome): Flash {
  switch (result.outcome) {
    case "undone": {
      const restored = `${counted(result.restored, "threat is", "threats are")} as before.`;
      if (result.changedSince === 0) return { tone: "success", text: `Undone: ${restored}` };
      const left = counted(result.changedSince, "threat was", "threats were");
      return {
        tone: "warning",
        text: `${restored} ${left} changed by somebody else since, and left alone.`,
      };
    }
    case "undone_before":
      return { tone: "warning", text: "That was undone before; nothing was changed." };
    default:
      return { tone: "warning", text: "That is more than a day ago and cannot be undone any more." };
  }
}
