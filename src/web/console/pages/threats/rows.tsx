import type { Instant } from "../../../../platform/lib/clock.ts";
import { capitalized, grouped } from "../../../../platform/lib/wording.ts";
import type { FoundThreat } from "../../../../threats/index/threat-index.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { Time } from "../../kit/components.tsx";
import { inWords, Name } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { threatPath } from "../../kit/paths.ts";
import { ComparedName, type KeywordsOf } from "../../threat-kit/compared-name.tsx";
import { listPath } from "../../threat-kit/filters.ts";
import { strongestEvidence } from "../../threat-kit/reasons.tsx";
import { SeverityMark, Thumbnail, SiteMark } from "../../threat-kit/threat-marks.tsx";
import { shortAge } from "../../kit/times.ts";

/** Properties that the rows of a view share. */
export interface RowsProps {
  threats: readonly FoundThreat[];
  keywordsOf: KeywordsOf;
  /** When the screenshot of each threat was taken; null: there is none. */
  captures: ReadonlyMap<string, Instant | null>;
  /** The view, for the links to the threats. */
  query: URLSearchParams;
  /** Threat in the panel. */
  open: string | undefined;
  /** The view has threats of every status, so that each row shows its own. */
  showStatus: boolean;
  /** The rows are the threats of a campaign, below its row. */
  isMember?: boolean;
  /** The time that the rows are about. */
  timeOf: (threat: FoundThreat) => number;
}

/** Threats as rows with a checkbox each, inside the form for decisions. */
export function ThreatRows({ threats, ...common }: RowsProps) {
  const { now } = usePage();
  const worked = threats.some((threat) => hasWork(workOf(threat), now));
  return (
    <ul class={worked ? "rows threats worked" : "rows threats"} aria-label="Threats">
      {threats.map((threat) => (
        <Row threat={threat} {...common} />
      ))}
    </ul>
  );
}

/** Threats of a campaign. */
export interface MembersProps extends RowsProps {
  /** Number of threats of the campaign in the view. */
  total: number;
}

/** The same as a fragment, for the script. */
export function MemberRows(members: MembersProps) {
  return (
    <ul>
      <Members {...members} />
    </ul>
  );
}

/** Some threats of a campaign as rows below its own, and a link to all if there are more. */
export function Members({ threats, total, ...common }: MembersProps) {
  return (
    <>
      {threats.map((threat) => (
        <Row threat={threat} {...common} isMember />
      ))}
      {total > threats.length ? (
        <li class="row member">
          <a class="go" href={listPath(common.query)}>
            Show all {grouped(total)} threats of this campaign
          </a>
        </li>
      ) : null}
    </>
  );
}

/** Returns the assignee and the due time, which a decided threat no longer has. */
export function workOf({ assignee, dueAt, status }: FoundThreat): Work {
  return { assignee, dueAt: status === "active" ? dueAt : null };
}

type ItemProps = { threat: FoundThreat } & Omit<RowsProps, "threats">;

/** A threat as a row of the list. */
export function Row(props: ItemProps) {
  const { threat, captures, timeOf } = props;
  return (
    <li {...itemAttributes(props, "row")}>
      <SelectThreat threat={threat} />
      <SeverityMark {...threat} word={false} />
      <Thumbnail threat={threat} capturedAt={captures.get(threat.id) ?? null} />
      <div class="main">
        <div>
          <ThreatName {...props} />
        </div>
        <p>
          <Evidence {...props} />
          {inWords(threat.type)} of <ProtectedName {...threat} />
        </p>
      </div>
      <WorkMarks {...workOf(threat)} />
      <div class="site">
        <SiteMark site={threat.siteState} explained={false} />
      </div>
      <Time at={timeOf(threat)} relative="short" />
    </li>
  );
}

/** Threats as screenshots, with the same checkboxes and links. */
export function ThreatGallery({ threats, ...common }: RowsProps) {
  return (
    <ul class="gallery all inset" aria-label="Threats">
      {threats.map((threat) => (
        <Tile threat={threat} {...common} />
      ))}
    </ul>
  );
}

function Tile(props: ItemProps) {
  const { threat, captures, timeOf } = props;
  return (
    <li {...itemAttributes(props, "tile")}>
      <Thumbnail threat={threat} capturedAt={captures.get(threat.id) ?? null} />
      <SelectThreat threat={threat} />
      <SeverityMark {...threat} word={false} />
      <div class="cut">
        <ThreatName {...props} />
      </div>
      <Time at={timeOf(threat)} relative="short" />
      <p class="cut">
        <Evidence {...props} />
        <ProtectedName {...threat} />
      </p>
    </li>
  );
}

function itemAttributes({ threat: { id, campaignSeq }, open, isMember = false }: ItemProps, name: string) {
  if (isMember)
    return {
      class: id === open ? `${name} member open` : `${name} member`,
      "data-row": "",
      "data-id": id,
      "data-member": campaignSeq ?? undefined,
    };
  return { class: id === open ? `${name} open` : name, "data-row": "", "data-id": id };
}

/** An empty cell for a visitor who can do nothing with a selection. */
function SelectThreat({ threat: { id, domain } }: { threat: FoundThreat }) {
  if (!usePage().may("decide")) return <span />;
  return <input type="checkbox" name="id" value={id} aria-label={`Select ${domain}`} />;
}

function ThreatName({ threat, keywordsOf, query, open }: ItemProps) {
  const { id, protectedDomain } = threat;
  return (
    <a class="go" href={threatPath(id, query)} aria-current={id === open ? "true" : undefined}>
      <ComparedName {...threat} keywords={keywordsOf(protectedDomain)} />
    </a>
  );
}

/** Hardly any protected domain is internationalized, and a page has one in every row. */
function ProtectedName({ protectedDomain }: FoundThreat) {
  return protectedDomain.includes("xn--") ? <Name name={protectedDomain} /> : <>{protectedDomain}</>;
}

/** The strongest evidence, and the decision if the view has several, each before a dot. */
function Evidence({ threat, showStatus }: ItemProps) {
  const parts = [
    ...(showStatus ? [capitalized(inWords(threat.status))] : []),
    ...(threat.verified ? [] : ["Unverified"]),
    ...strongestEvidence(threat.severityReasons),
  ];
  return <>{parts.map((part) => `${part} · `).join("")}</>;
}

/** A due time is shown from this long before; until then, it is no news in a list. */
const dueSoonMs = 86_400_000;
const minuteMs = 60_000;
const nameCharactersMax = 40;

/** Fields of a threat, or of the threats of a campaign, that tell who has to do what by when. */
interface Work {
  assignee: string | null;
  /** Earliest due time of what is not decided. */
  dueAt: Instant | null;
}

/** Returns whether a row of the list shows an assignee or a due time. */
export function hasWork({ assignee, dueAt }: Work, now: Instant): boolean {
  return assignee !== null || (dueAt !== null && dueAt - now < dueSoonMs);
}

/** Returns `2 d overdue`, `due in 5 h`, or `due now`. */
function dueText(dueAt: Instant, now: Instant): string {
  if (Math.abs(dueAt - now) < minuteMs) return "due now";
  return dueAt < now ? `${shortAge(dueAt, now)} overdue` : `due in ${shortAge(now, dueAt)}`;
}

/** The assignee, and the due time if it is near or past. */
export function WorkMarks({ assignee, dueAt }: Work) {
  const { now, reader } = usePage();
  if (!hasWork({ assignee, dueAt }, now)) return <div class="work" />;
  return (
    <div class="work">
      {assignee === null ? null : <span class="cut">{visible(assignee, nameCharactersMax)}</span>}
      {dueAt === null || dueAt - now >= dueSoonMs ? null : (
        <span class={dueAt < now ? "due over" : "due"} title={reader.times.plain(dueAt)}>
          {dueText(dueAt, now)}
        </span>
      )}
    </div>
  );
}
