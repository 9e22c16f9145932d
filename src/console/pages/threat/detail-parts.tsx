import { visible } from "../../../lib/safe-text.ts";
import type { Neighbor } from "../../../threats/store/neighbors.ts";
import type { Threat } from "../../../threats/store/queries.ts";
import { Time } from "../../kit/components.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { threatPath } from "../../kit/paths.ts";
import { decisions } from "../../threat-kit/decisions.ts";

const nameShownMax = 40;

export function Reasons({ texts }: { texts: readonly string[] }) {
  if (texts.length === 0) return <p class="absent">No reasons recorded.</p>;
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

export function DecisionButtons({ threat: { id, status } }: { threat: Threat }) {
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
          />
        ))}
    </>
  );
}

/**
 * Time of the last check, with a button to repeat it unless lookups are off. Refreshes itself while a requested check
 * runs.
 */
export function CheckState({
  id,
  requested,
  isEnabled,
  isSettled,
  checkedAt,
}: {
  id: string;
  /** A check was just requested. */
  requested: boolean;
  /** Whether anything is looked up at all. */
  isEnabled: boolean;
  isSettled: boolean;
  checkedAt: number | null;
}) {
  const path = `${threatPath(id)}/look`;
  if (!isEnabled)
    return (
      <p id="look" class="hint">
        {checkedAt === null ? null : (
          <>
            Last checked <Time at={checkedAt} relative />.{" "}
          </>
        )}
        Lookups are off (<code>lookups.enabled</code>).
      </p>
    );
  if (requested && !isSettled)
    return (
      <p id="look" class="hint" role="status" data-refresh={path} data-refresh-ms="1500">
        Checking… <a href={threatPath(id)}>Show the known facts</a>
      </p>
    );
  return (
    <div id="look" class="look hint">
      {requested ? (
        <span role="status">
          Check finished. <a href={threatPath(id)}>Show the results</a>
        </span>
      ) : (
        <span>
          {checkedAt === null ? (
            "Not checked yet."
          ) : (
            <>
              Last checked <Time at={checkedAt} relative />.
            </>
          )}
        </span>
      )}
      <PostButton action={path} label={checkedAt === null && !requested ? "Check now" : "Check again"} />
    </div>
  );
}

export function Neighbors({
  newer,
  older,
  severity,
}: {
  newer: Neighbor | undefined;
  older: Neighbor | undefined;
  severity: string;
}) {
  if (newer === undefined && older === undefined) return null;
  return (
    <nav class="neighbors" aria-label={`Other active threats of ${severity} severity`}>
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
