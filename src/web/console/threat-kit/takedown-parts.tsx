import type { NextStep } from "../../../response/cases/takedowns/rows.ts";
import type { Report, ReportPurpose, Takedown } from "../../../response/cases/takedowns/report.ts";
import type { RecipientKind, ReportMethod } from "../../../platform/vocabulary/cases.ts";
import { spanText } from "../../../platform/lib/durations.ts";
import { Time } from "../kit/components.tsx";
import { StateMark, type Tone, Name, Text } from "../kit/inline.tsx";
import { threatPath } from "../kit/paths.ts";
import type { Context } from "../shell/router.ts";
import words from "./takedown-words.json" with { type: "json" };
import { SiteMark } from "./threat-marks.tsx";

export type TakedownContext = Context<
  "config" | "deliveries" | "enrichment" | "eventLog" | "takedowns" | "threats"
>;

export const kindLabels: Record<RecipientKind, string> = words.kinds;

/** Action that each kind of recipient can take. */
export const abilities: Record<RecipientKind, string> = words.abilities;

const methodLabels: Record<ReportMethod, string> = words.methods;

export const purposeLabels: Record<ReportPurpose, string> = words.purposes;

const sources: Record<Report["recipient"]["source"]["from"], string> = words.sources;

/** Where a contact is from, with a link to it if it has an address. */
export function SourceOf({ source }: { source: Report["recipient"]["source"] }) {
  const { at, from, url } = source;
  const label = sources[from];
  return (
    <>
      {url !== undefined && isWebAddress(url) ? (
        <a href={url} rel="noopener noreferrer">
          {label}
        </a>
      ) : (
        label
      )}
      <Time at={at} prefix=", " relative />
    </>
  );
}

/** Returns whether a link to an address of third parties is harmless: it opens a website. */
export function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

export function DeliveryMark(props: { report: Pick<Report, "delivery" | "method"> }) {
  const { report } = props;
  const { delivery, method } = report;
  if (delivery === null) return <StateMark tone="neutral">{methodLabels[method]}</StateMark>;
  return <WordMark {...words.deliveries[delivery]} />;
}

export function NextMark({ next }: { next: NextStep }) {
  if (next === "none") return <StateMark tone="neutral">No next step</StateMark>;
  return <WordMark {...words.steps[next]} />;
}

/** A state of `takedown-words.json`. */
function WordMark({ text, tone }: { text: string; tone: string }) {
  return <StateMark tone={tone as Tone}>{text}</StateMark>;
}

/** Outcome of a takedown, with how long it took. */
export function OutcomeMark({ takedown: { countedFrom, downAt, outcome } }: { takedown: Takedown }) {
  const { text, tone } = words.outcomes[outcome];
  const took = downAt === null || countedFrom === null ? "" : ` after ${spanText(downAt - countedFrom)}`;
  return <WordMark text={`${text}${took}`} tone={tone} />;
}

/** Present state of the site of a takedown. */
export function SiteOf({ takedown: { siteState } }: { takedown: Pick<Takedown, "siteState"> }) {
  return <SiteMark site={siteState} />;
}

/** Name of a takedown's threat, with a link unless the threat was deleted. */
export function ThreatName(props: { takedown: Pick<Takedown, "domain" | "threatId"> }) {
  const { takedown } = props;
  const { domain, threatId } = takedown;
  return threatId === null ? (
    <Name name={domain} />
  ) : (
    <a href={threatPath(threatId)}>
      <Name name={domain} />
    </a>
  );
}

/** The threats of a report in few words. */
export function ThreatsOf({ takedowns }: { takedowns: readonly Takedown[] }) {
  const [first] = takedowns;
  if (first === undefined) return <span class="faint">deleted threats</span>;
  return (
    <>
      <Name name={first.domain} />
      {takedowns.length === 1 ? null : <span class="faint"> and {`${takedowns.length - 1} more`}</span>}
    </>
  );
}

export function RecipientName({ recipient }: { recipient: Pick<Report["recipient"], "kind" | "name"> }) {
  return (
    <>
      <Text text={recipient.name} charactersMax={80} />{" "}
      <span class="faint">{kindLabels[recipient.kind].toLowerCase()}</span>
    </>
  );
}
