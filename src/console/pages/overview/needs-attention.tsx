import type { Instant } from "../../../lib/clock.ts";
import { visible } from "../../../lib/safe-text.ts";
import { counted, grouped, sentence } from "../../../lib/wording.ts";
import type { ReloadOutcome } from "../../../reload/outcome.ts";
import type { ThreatIndex } from "../../../threat-index/threat-index.ts";
import { Card, LinkButton } from "../../kit/components.tsx";
import { Icon } from "../../kit/icons.tsx";
import { relativeAge } from "../../kit/times.ts";
import { systemPath } from "../../kit/paths.ts";
import { listPath } from "../../threat-kit/filters.ts";
import type { Concern } from "./attention.ts";

/** Errors of a configuration file are long, and the log has all of them. */
const reasonMax = 400;

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
    },
  ];
}

/** @param lastReload the last reload of the configuration file; undefined if there was none */
export function reloadConcerns(
  lastReload: Pick<ReloadOutcome, "errors" | "restart" | "result"> | undefined,
): Concern[] {
  const link = { path: systemPath, action: "Review" };
  if (lastReload?.result === "failed")
    return [
      {
        ...link,
        tone: "bad",
        title: "The configuration file cannot be applied",
        cause: `${sentence(visible(lastReload.errors.join("; "), reasonMax))} The previous configuration stays in effect.`,
      },
    ];
  const keys = lastReload?.restart ?? [];
  if (keys.length === 0) return [];
  const title = `${counted(keys.length, "changed setting")} ${keys.length === 1 ? "needs" : "need"} a restart`;
  return [
    {
      ...link,
      tone: "warn",
      title,
      cause: `The configuration file has new values for ${visible(keys.join(", "), reasonMax)}.`,
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
  const { tone, title, cause, path, action } = concern;
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
      <LinkButton path={path} label={action} small variant={isTriage ? "primary" : undefined} />
    </li>
  );
}
