import { wordsForPeople } from "../../../../access/accounts/account-names.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import type { ThreatIndex } from "../../../../threats/index/threat-index.ts";
import { Card, LinkButton } from "../../kit/components.tsx";
import { Icon } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { relativeAge } from "../../kit/times.ts";
import { listPath } from "../../threat-kit/filters.ts";
import { bad, present, warn, type Concern } from "./attention.ts";

export const highView = { status: "active", severity: "high" } as const;

type HighThreats = Awaited<ReturnType<typeof readHighThreats>>;

/** Reads the active threats of high severity. */
export async function readHighThreats(index: ThreatIndex) {
  const oldestFirst = { key: "first_seen", descending: false } as const;
  const { threats, total } = await index.search(highView, oldestFirst, { page: 1, perPage: 1 });
  const asking = { ...highView, indicator: "asks_for_secrets" } as const;
  const [quick] = await index.quickCounts([asking]);
  const askForSecrets = total === 0 ? 0 : (quick ?? (await index.count(asking)));
  return {
    total,
    /** Number of those whose pages ask for a password or a card. */
    askForSecrets,
    /** First time of the threat that has waited longest; undefined if there is none. */
    oldestAt: threats[0]?.firstSeen,
  };
}

/** Describes the threats to decide like any other concern: with cause and action. */
export function threatConcern({ askForSecrets, oldestAt, total }: HighThreats, now: Instant): Concern[] {
  if (total === 0 || oldestAt === undefined) return [];
  const asking =
    askForSecrets === 0
      ? ""
      : `${grouped(askForSecrets)} ${askForSecrets === 1 ? "asks" : "ask"} for a password or a card. `;
  return [
    bad(
      `${counted(total, "high-severity threat")} to decide`,
      `${asking}The oldest was first seen ${relativeAge(oldestAt, now)}.`,
      { ...toThreats({ severity: "high" }, "Start triage"), needs: "decide" },
    ),
  ];
}

const toThreats = (view: Record<string, string>, action: string) => ({
  path: listPath(new URLSearchParams(view)),
  action,
});

type Work = Awaited<ReturnType<typeof readWork>>;

/** Reads the active threats that need work. */
export async function readWork(index: ThreatIndex, account: string, now: Instant) {
  const own = { status: "active", assignee: account } as const;
  const back = { status: "active", siteStates: ["back"] } as const;
  const overdue = { status: "active", overdueAt: now } as const;
  const [mine = 0, cameBack = 0] = await index.quickCounts([own, back]);
  const dueFirst = { key: "due", descending: false } as const;
  const { threats, total } = await index.search(overdue, dueFirst, { page: 1, perPage: 1 });
  return {
    /** Number of those that are assigned to the visitor. */
    mine,
    /** Number of those whose site was down and is up again. */
    back: cameBack,
    overdue: total,
    /** The earliest due time of the overdue ones; null: there are none. */
    overdueSince: threats[0]?.dueAt ?? null,
  };
}

/** Describes the work on threats like any other concern. */
export function workConcerns({ mine, overdue, overdueSince, back }: Work, now: Instant): Concern[] {
  return present([
    back > 0 &&
      bad(
        `${counted(back, "site")} came back`,
        `${back === 1 ? "It was" : "They were"} down and ${back === 1 ? "is" : "are"} up again.`,
        toThreats({ site_state: "back" }, "Review"),
      ),
    overdueSince !== null &&
      bad(
        `${counted(overdue, "threat is", "threats are")} overdue`,
        `The first was due ${relativeAge(overdueSince, now)}.`,
        toThreats({ overdue: "yes", sort: "due" }, "Review"),
      ),
    mine > 0 &&
      warn(
        `${counted(mine, "threat is", "threats are")} assigned to you`,
        null,
        toThreats({ assignee: wordsForPeople.own, sort: "due" }, "Open"),
      ),
  ]);
}

/** Lists the concerns, each with cause and action. Triage is the page's primary action. */
export function NeedsAttention(props: { threats: readonly Concern[]; concerns: readonly Concern[] }) {
  const { threats, concerns } = props;
  return (
    <Card title="Needs attention" flush>
      <ul class="todo">
        {threats.map((concern, index) => (
          <ConcernRow concern={concern} isTriage isFirst={index === 0} />
        ))}
        {concerns.map((concern) => (
          <ConcernRow concern={concern} />
        ))}
      </ul>
    </Card>
  );
}

function ConcernRow(props: {
  concern: Concern;
  isTriage?: boolean;
  /** The first of the concerns about threats has the primary button of the page. */
  isFirst?: boolean;
}) {
  const { concern, isTriage = false, isFirst = false } = props;
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
      <LinkButton path={path} label={label} small variant={isFirst ? "primary" : undefined} />
    </li>
  );
}
