import type { DatedChange } from "../../../../threats/threats/triage/history.ts";
import type { Status } from "../../../../platform/vocabulary/threats.ts";
import { Time } from "../../kit/components.tsx";
import type { IconName } from "../../kit/icons.tsx";
import { inWords } from "../../kit/labels.ts";
import { Text } from "../../kit/name.tsx";

const nameCharactersMax = 60;
const decided: Record<Status, string> = {
  active: "reactivated it",
  resolved: "resolved it",
  false_positive: "marked it as a false positive",
};

/** Returns the icon of a change that people make; undefined for other fields. */
export function teamChangeIcon({ after, field }: DatedChange): IconName | undefined {
  if (field === "status") return after === "active" ? "undo" : "check";
  if (field === "assignee") return "people";
  return field === "due" ? "clock" : undefined;
}

/** A decision, an assignment or a due time, in words that follow the name of the person. */
export function TeamChange({ change: { after, field } }: { change: DatedChange }) {
  if (field === "status") return <>{decided[after as Status] ?? inWords(after ?? "")}</>;
  if (field === "assignee")
    return after === null ? (
      <>unassigned it</>
    ) : (
      <>
        assigned it to <Text text={after} charactersMax={nameCharactersMax} />
      </>
    );
  const at = Date.parse(after ?? "");
  if (Number.isNaN(at)) return <>removed the due time</>;
  return (
    <>
      set the due time to <Time at={at} />
    </>
  );
}
