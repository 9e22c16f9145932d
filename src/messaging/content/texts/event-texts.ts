import { displayName } from "../../../engines/detection/names/name.ts";
import type { EventPayload } from "../../../threats/events/payloads.ts";
import { counted, grouped } from "../../../platform/lib/wording.ts";
import { toPlainTime } from "../../../platform/lib/clock.ts";
import { cut } from "../cut.ts";
import { defangName, defangText } from "../defang.ts";
import { content, listed, type NoticeContent } from "./content.ts";
import type { ConsoleLinks } from "./links.ts";

/** Messages about visits to traps, and about scans. */

const trapNameMax = 50;
const hostMax = 60;

/** Returns the message about visits to one beacon. @param visits the latest one, and how many there were */
export function beaconVisits(
  { latest, count }: { latest: EventPayload["beacon.triggered"]; count: number },
  links: ConsoleLinks,
): NoticeContent {
  const { beacon, hit, threat } = latest;
  const where = hit.hostname === "" ? "a page without a host" : cut(defangName(hit.hostname), hostMax);
  return content({
    kind: "visit",
    tone: "high",
    title: `Beacon ${trapName(beacon.name)}: copy of ${shownDomain(beacon.protected_domain, hostMax)} opened on ${where}`,
    summary:
      count === 1
        ? "A visitor was shown a copy of the protected page."
        : `Visitors were shown a copy of the protected page ${grouped(count)} times; this is the latest visit.`,
    facts: [{ label: "Page", value: defangText(hit.url) }, ...visitorFacts(hit)],
    links: [...(threat === null ? [] : [links.threat(threat.id)]), links.trap("beacon", beacon.id)],
  });
}

/** Returns the message about visits to one honeytoken. */
export function honeytokenVisits(
  { latest, count }: { latest: EventPayload["token.accessed"]; count: number },
  links: ConsoleLinks,
): NoticeContent {
  const { token, access } = latest;
  return content({
    kind: "visit",
    tone: "high",
    title: `Honeytoken ${trapName(token.name)} was opened${count === 1 ? "" : ` ${grouped(count)} times`}`,
    summary: "Any access indicates an intruder.",
    facts: visitorFacts(access),
    links: [links.trap("honeytoken", token.id)],
  });
}

function visitorFacts(visit: EventPayload["token.accessed"]["access"]): NoticeContent["facts"] {
  return [
    { label: "IP address", value: defangText(visit.ip_address ?? "") },
    { label: "User agent", value: defangText(visit.user_agent ?? "") },
    { label: "Referrer", value: defangText(visit.referrer ?? "") },
    { label: "Time", value: toPlainTime(Date.parse(visit.at), { seconds: true }) },
  ];
}

/** Returns the message about a scan that started. */
export function scanStarted({ scan }: EventPayload["scan.started"], links: ConsoleLinks): NoticeContent {
  return content({
    kind: "scan",
    tone: "neutral",
    title: `Scan of ${scannedDomains(scan.protected_domains)} started`,
    links: [links.scan(scan.id)],
  });
}

/** Returns the message about a scan that ended. */
export function scanEnded({ scan }: EventPayload["scan.completed"], links: ConsoleLinks): NoticeContent {
  const domains = scannedDomains(scan.protected_domains);
  const found = counted(scan.threats_created, "new threat");
  const title =
    scan.status === "completed"
      ? `Scan of ${domains} completed: ${found}`
      : `Scan of ${domains} ${scan.status === "failed" ? "failed" : "was cancelled"}`;
  return content({
    kind: "scan",
    tone: scan.status === "completed" ? "good" : "neutral",
    title,
    summary: scan.status === "failed" ? defangText(scan.error ?? "") : "",
    facts: [
      { label: "Names looked up", value: grouped(scan.candidates) },
      { label: "Names that resolve", value: grouped(scan.resolving) },
      {
        label: "Look-alikes",
        value: `${grouped(scan.threats_found)}, of which ${grouped(scan.threats_created)} are new`,
      },
    ],
    links: [links.scan(scan.id)],
  });
}

const domainsShownMax = 2;

function scannedDomains(domains: readonly string[]): string {
  const shown = domains.slice(0, domainsShownMax).map((domain) => shownDomain(domain, hostMax / 2));
  const left = domains.length - shown.length;
  return listed(left > 0 ? [...shown, counted(left, "other domain")] : shown);
}

function shownDomain(domain: string, lengthMax: number): string {
  return cut(displayName(domain), lengthMax);
}

function trapName(name: string): string {
  return `"${cut(defangText(name), trapNameMax)}"`;
}
