import type { NextStep } from "../../../response/cases/takedowns/rows.ts";
import type {
  DeliveryState,
  Outcome,
  Report,
  ReportPurpose,
  Takedown,
} from "../../../response/cases/takedowns/report.ts";
import type { RecipientKind, ReportMethod } from "../../../platform/vocabulary/cases.ts";
import { spanText } from "../../../platform/lib/durations.ts";
import { Time } from "../kit/components.tsx";
import { StateMark, type Tone } from "../kit/marks.tsx";
import { Name, Text } from "../kit/name.tsx";
import { threatPath } from "../kit/paths.ts";
import type { Context } from "../shell/router.ts";
import { SiteMark } from "./threat-marks.tsx";

export type TakedownContext = Context<
  "config" | "deliveries" | "enrichment" | "eventLog" | "takedowns" | "threats"
>;

export const kindLabels: Record<RecipientKind, string> = {
  registrar: "Registrar",
  hoster: "Hosting provider",
  registry: "Registry",
  certificate_authority: "Certificate authority",
  browser_list: "Browser list",
};

/** Action that each kind of recipient can take. */
export const abilities: Record<RecipientKind, string> = {
  registrar: "suspends the domain (clientHold)",
  hoster: "removes the page",
  registry: "suspends the domain (serverHold)",
  certificate_authority: "revokes the certificate",
  browser_list: "warns visitors",
};

const methodLabels: Record<ReportMethod, string> = {
  email: "Email",
  form: "Form",
  manual: "Sent another way",
};

export const purposeLabels: Record<ReportPurpose, string> = {
  first: "Report",
  follow_up: "Follow-up",
  escalation: "Escalation",
  again: "Report after it came back",
};

const sources: Record<Report["recipient"]["source"]["from"], string> = {
  rdap: "registration data (RDAP)",
  whois: "registration data (WHOIS)",
  address_rdap: "registration data of the IP address",
  certificate: "the certificate",
  list: "the list of this program",
  person: "the person who sent the report",
};

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

const deliveries: Record<DeliveryState, { tone: Tone; text: string }> = {
  queued: { tone: "live", text: "Queued" },
  sending: { tone: "live", text: "Sending" },
  sent: { tone: "good", text: "Sent" },
  interrupted: { tone: "warn", text: "Interrupted" },
  bounced: { tone: "bad", text: "Bounced" },
  failed: { tone: "bad", text: "Not sent" },
};

export function DeliveryMark(props: { report: Pick<Report, "delivery" | "method"> }) {
  const { report } = props;
  const { delivery, method } = report;
  if (delivery === null) return <StateMark tone="neutral">{methodLabels[method]}</StateMark>;
  const { text, tone } = deliveries[delivery];
  return <StateMark tone={tone}>{text}</StateMark>;
}

const steps: Record<Exclude<NextStep, "none">, { tone: Tone; text: string }> = {
  came_back: { tone: "bad", text: "Report again" },
  delivery: { tone: "bad", text: "Not delivered" },
  follow_up: { tone: "warn", text: "Follow up" },
  wait: { tone: "live", text: "Waiting" },
};

export function NextMark({ next }: { next: NextStep }) {
  if (next === "none") return <StateMark tone="neutral">No next step</StateMark>;
  const { text, tone } = steps[next];
  return <StateMark tone={tone}>{text}</StateMark>;
}

const outcomes: Record<Outcome, { tone: Tone; text: string }> = {
  open: { tone: "live", text: "Open" },
  down: { tone: "good", text: "Down" },
  closed: { tone: "neutral", text: "Closed" },
  deleted: { tone: "neutral", text: "Deleted" },
};

/** Outcome of a takedown, with how long it took. */
export function OutcomeMark({ takedown: { countedFrom, downAt, outcome } }: { takedown: Takedown }) {
  const { text, tone } = outcomes[outcome];
  const took = downAt === null || countedFrom === null ? "" : ` after ${spanText(downAt - countedFrom)}`;
  return (
    <StateMark tone={tone}>
      {text}
      {took}
    </StateMark>
  );
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
