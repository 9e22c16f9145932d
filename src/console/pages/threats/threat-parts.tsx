import { visible } from "../../../lib/safe-text.ts";
import type { Neighbour } from "../../../threats/neighbours.ts";
import type { Threat } from "../../../threats/queries.ts";
import type { Status } from "../../../vocabulary/threats.ts";
import { PostButton } from "../../kit/form.tsx";
import { Time } from "../../kit/kit.tsx";
import { Text } from "../../kit/name.tsx";
import { threatPath } from "../../kit/paths.ts";

const nameShownMax = 40;

export function Reasons({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return <p class="absent">No reason was recorded.</p>;
  return (
    <ul>
      {texts.map((reason) => (
        <li>
          <Text text={reason} />
        </li>
      ))}
    </ul>
  );
}

/** What can be decided about a threat, and the key that does it. */
export const decisions: readonly { status: Status; label: string; key: string }[] = [
  { status: "resolved", label: "Resolve", key: "r" },
  { status: "false_positive", label: "False positive", key: "f" },
  { status: "active", label: "Reactivate", key: "a" },
];

export function Decisions({ threat: { id, status } }: { threat: Threat }) {
  return (
    <>
      {decisions
        .filter((one) => one.status !== status)
        .map((one) => (
          <PostButton
            action={`${threatPath(id)}/status`}
            label={one.label}
            fields={{ status: one.status }}
            dataKey={one.key}
            variant="outline"
          />
        ))}
    </>
  );
}

/** When it was looked at, and the button to do it now; renews itself while a look that was asked for is under way. */
export function LookState({
  id,
  asked,
  isSettled,
  checkedAt,
}: {
  id: string;
  /** Whether somebody has just asked for a look. */
  asked: boolean;
  isSettled: boolean;
  checkedAt: number | null;
}) {
  const path = `${threatPath(id)}/look`;
  if (asked && !isSettled)
    return (
      <p id="look" class="hint" role="status" data-refresh={path} data-refresh-ms="1500">
        Looking at it now… <a href={threatPath(id)}>Show what is known</a>
      </p>
    );
  return (
    <div id="look" class="look hint">
      {asked ? (
        <span role="status">
          It was looked at. <a href={threatPath(id)}>Show what was found</a>
        </span>
      ) : (
        <span>
          {checkedAt === null ? (
            "Not looked at yet."
          ) : (
            <>
              Looked at <Time at={checkedAt} relative />.
            </>
          )}
        </span>
      )}
      <PostButton
        action={path}
        label={checkedAt === null && !asked ? "Look now" : "Look again now"}
        variant="outline"
      />
    </div>
  );
}

export function Neighbours({
  newer,
  older,
  severity,
}: {
  newer: Neighbour | undefined;
  older: Neighbour | undefined;
  severity: string;
}) {
  if (newer === undefined && older === undefined) return null;
  return (
    <nav class="neighbours" aria-label={`Other active threats of severity ${severity}`}>
      {newer === undefined ? null : (
        <a href={threatPath(newer.id)} rel="prev" data-key="k" aria-keyshortcuts="k" title="Key: k">
          ← <bdi>{visible(newer.domain, nameShownMax)}</bdi>
        </a>
      )}
      {older === undefined ? null : (
        <a href={threatPath(older.id)} rel="next" data-key="j" aria-keyshortcuts="j" title="Key: j">
          Next {severity}: <bdi>{visible(older.domain, nameShownMax)}</bdi> →
        </a>
      )}
    </nav>
  );
}
