import type { Instant } from "../../../lib/clock.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import type { ThreatIndex } from "../../../threat-index/threat-index.ts";
import { Card, LinkButton } from "../../kit/components.tsx";
import { Icon } from "../../kit/icons.tsx";
import { usePage } from "../../kit/page-context.ts";
import { relativeAge } from "../../kit/times.ts";
import { listPath } from "../../threat-kit/filters.ts";
import type { Concern } from "./attention.ts";

/** Active threats of high severity. */
export interface HighThreats {
  total: number;
  /** Number of those whose pages ask for a password or a card. */
  askForSecrets: number;
  /** When the one that has waited longest was first seen; undefined if there is none. */
  oldestAt: Instant | undefined;
}

export const highView = { status: "active", severity: "high" } as const;

export async function readHighThreats(index: ThreatIndex): Promise<HighThreats> {
  const oldestFirst = { key: "first_seen", descending: false } as const;
  const { threats, total } = await index.search(highView, oldestFirst, { page: 1, perPage: 1 });
  const asking = { ...highView, indicator: "asks_for_secrets" } as const;
  const [quick] = await index.quickCounts([asking]);
  const askForSecrets = total === 0 ? 0 : (quick ?? (await index.count(asking)));
  return { total, askForSecrets, oldestAt: threats[0]?.firstSeen };
}

/** Describes the threats to decide like any other concern: with cause and action. */
export function threatConcern(high: HighThreats, now: Instant): Concern[] {
  if (high.total === 0 || high.oldestAt === undefined) return [];
  const { askForSecrets } = high;
  const asking =
    askForSecrets === 0
      ? ""
      : `${grouped(askForSecrets)} ${askForSecrets === 1 ? "asks" : "ask"} for a password or a card. `;
  return [
    {
      tone: "bad",
      title: `${counted(high.total, "high-severity threat")} to decide`,
      cause: `${asking}The oldest was first seen ${relativeAge(high.oldestAt, now)}.`,
      path: listPath(new URLSearchParams({ severity: "high" })),
      action: "Start triage",
      needs: "decide",
    },
  ];
}

/** Lists the concerns, each with cause and action. Triage is the page's primary action. */
export function NeedsAttention({
  threats,
  concerns,
}: {
  threats: readonly Concern[];
  concerns: readonly Concern[];
}) {
  return (
    <Card title="Needs attention" flush>
      <ul class="todo">
        {threats.map((concern) => (
          <ConcernRow concern={concern} isTriage />
        ))}
        {concerns.map((concern) => (
          <ConcernRow concern={concern} />
        ))}
      </ul>
    </Card>
  );
}

function ConcernRow({ concern, isTriage = false }: { concern: Concern; isTriage?: boolean }) {
  const { tone, title, cause, path, action, needs } = concern;
  const { may } = usePage();
  const label = needs === undefined || may(needs) ? action : "Review";
  return (
    <li>
      <span class={tone}>
        <Icon name={isTriage ? "threat" : tone === "bad" ? "fail" : "warn"} />
      </span>
      <div>
        <a class="strong ink" href={path}>
          <bdi>{title}</bdi>
        </a>
        {cause === null ? null : (
          <p>
            <bdi>{cause}</bdi>
          </p>
        )}
      </div>
      <LinkButton path={path} label={label} small variant={isTriage ? "primary" : undefined} />
    </li>
  );
}
