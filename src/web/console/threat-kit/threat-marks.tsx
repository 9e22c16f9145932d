import { capitalized, grouped } from "../../../platform/lib/wording.ts";
import { explainSeverity } from "../../../threats/threats/severity/explain-severity.ts";
import type { SeverityReason } from "../../../threats/threats/severity/severity-reasons.ts";
import type { Severity, Status, ThreatType } from "../../../platform/vocabulary/threats.ts";
import type { SiteState } from "../../../platform/vocabulary/site.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { StateMark, type IconName, Icon, inWords, typeDescriptions } from "../kit/inline.tsx";
import { threatPath, newThreatsPath } from "../kit/paths.ts";
import { listPath } from "./filters.ts";
import siteStates from "./site-states.json" with { type: "json" };

const nameOnly = "Only the name is known: no lookup has found it in DNS.";

/** Three, two or one bars, hollow if only the name is known, and a word. */
export function SeverityMark(props: {
  severity: Severity;
  /** False: no lookup has found the name in DNS. */
  verified?: boolean;
  /** Shown in a few words as a tooltip. */
  severityReasons?: readonly SeverityReason[] | undefined;
  /** False where a column of marks says enough; the tooltip is then the label of the image. */
  word?: boolean;
}) {
  const { severity, verified = true, severityReasons = [], word = true } = props;
  const text = `${capitalized(severity)}${verified ? "" : ", unverified"}`;
  const why = capitalized(explainSeverity({ severity, verified, severityReasons }));
  const tooltip = severityReasons.length > 0 ? why : verified ? undefined : nameOnly;
  const classes = `sev ${severity}${verified ? "" : " unsure"}`;
  if (!word)
    return (
      <span class={classes} role="img" title={severityReasons.length > 0 ? why : text}>
        <svg>
          <use href={`#sev-${severity}`} />
        </svg>
      </span>
    );
  return (
    <span class={classes} title={tooltip}>
      <svg aria-hidden="true">
        <use href={`#sev-${severity}`} />
      </svg>
      {text}
    </span>
  );
}

const statusIcons: Record<Status, IconName> = { active: "active", resolved: "ok", false_positive: "not" };

/** The team's decision about a threat. */
export function StatusMark({ status }: { status: Status }) {
  return (
    <StateMark tone={status === "resolved" ? "good" : "neutral"} icon={statusIcons[status]}>
      {capitalized(inWords(status))}
    </StateMark>
  );
}

const classes = { neutral: "state", good: "state good", warn: "state warn", bad: "state bad" };

const marks = siteStates satisfies Record<SiteState, object> as Record<
  SiteState,
  { word: string; icon: IconName; tone: keyof typeof classes; explanation: string }
>;

/** The state of a site: a shape and a word. A dash if it was not determined. */
export function SiteMark(props: {
  site: SiteState | null;
  /** False in the rows of a list, where an explanation in each would be most of the page. */
  explained?: boolean;
}) {
  const { site, explained = true } = props;
  if (site === null) {
    if (!explained) return <>–</>;
    return (
      <span class="state" title="The state of the site was not determined.">
        –
      </span>
    );
  }
  const { word, icon, tone, explanation } = marks[site];
  return (
    <span class={classes[tone]} title={explained ? explanation : undefined}>
      <Icon name={icon} />
      {word}
    </span>
  );
}

/** The name of a type, explained by a tooltip. */
export function TypeName({ type }: { type: ThreatType }) {
  return <span title={typeDescriptions[type]}>{inWords(type)}</span>;
}

/** Explains the types, for a page that lists several. */
export function TypeLegend({ types }: { types: readonly ThreatType[] }) {
  return (
    <details>
      <summary>What the types mean</summary>
      <dl>
        {types.map((type) => (
          <>
            <dt>{inWords(type)}</dt>
            <dd>{typeDescriptions[type]}</dd>
          </>
        ))}
      </dl>
    </details>
  );
}

/** The screenshot of a threat's page in a row, or an outline in its place. Decorative: the row says the rest. */
export function Thumbnail({
  threat: { id },
  capturedAt,
}: {
  threat: { id: string };
  /** When the screenshot was taken; null: there is none. */
  capturedAt: Instant | null;
}) {
  if (capturedAt === null) return <span class="shot none"></span>;
  return (
    <span class="shot">
      <img src={thumbnailPath(id, capturedAt)} width="112" height="70" loading="lazy" alt="" />
    </span>
  );
}

/** The address changes with the screenshot, so that browsers can keep what they have loaded. */
function thumbnailPath(id: string, capturedAt: Instant): string {
  return `${threatPath(id)}/thumbnail?v=${capturedAt}`;
}

/**
 * Announces that threats have arrived since the page was loaded. The script asks for it from time to time, so that
 * nothing moves before the reader wants to see them.
 * @param since `seq` of the newest threat that the page has seen
 */
export function Fresh({ query, since, count }: { query: URLSearchParams; since: number; count: number }) {
  const asked = new URLSearchParams(query);
  asked.set("since", String(since));
  return (
    <div class="fresh" data-fresh={`${newThreatsPath}?${asked}`} data-count={count} hidden={count === 0}>
      {count === 0 ? null : (
        <a href={listPath(query)}>
          <Icon name="up" />
          {grouped(count)} new, show
        </a>
      )}
    </div>
  );
}
