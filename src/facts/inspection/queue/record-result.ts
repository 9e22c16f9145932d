import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Clock, Instant } from "../../../platform/lib/clock.ts";
import type { Existence } from "../../lookups/dns/existence.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { Page } from "../../lookups/page/page-lookup.ts";
import type { Sighting } from "../../../threats/threats/record.ts";
import type { Threats } from "../../../threats/threats/threats.ts";
import type { Inspection } from "../model/inspection.ts";
import type { InspectedPage } from "../model/tables.ts";
import type { PageFingerprint } from "../model/fingerprint.ts";
import { storedVerdict, type Verdict } from "../model/verdict.ts";
import { placeOf, type ReadAddress, type ShownPage } from "./addresses.ts";
import type { Attempt } from "./attempt.ts";
import type { Outcome } from "./store.ts";

/** Maximum number of stored verdicts. The first one decides. */
const verdictsMax = 3;
/** A verdict with a lower score is not stored, as its signals say nothing: a page without any brand scores like this. */
const storedScoreMin = 0.02;
const redirectsMax = 10;

/** Facts that an inspection found about a threat. */
export interface InspectedThreat {
  threatId: string;
  protectedDomain: string;
  existence: Existence;
  page: Page;
  /** WebP, as far as it may be kept, with its perceptual hash unless it is blank. Absent if no browser was used. */
  screenshot?: { webp: Uint8Array | undefined; hash: string | undefined };
}

type Inspected = Extract<Attempt, { kind: "inspected" }>;

/** Returns the part of a row that an inspected page determines. */
export function outcomeOf(
  { result: { fingerprint, noScreenshot, page, verdicts } }: Inspected,
  { at, durationMs }: { at: Instant; durationMs: number },
): Outcome {
  const [first] = verdicts;
  return {
    state: "done",
    dueAt: at,
    finishedAt: at,
    durationMs,
    imitates: first?.imitates ?? false,
    protectedDomain: first?.protectedDomain ?? null,
    score: first?.score ?? null,
    verdicts: verdicts
      .filter(({ score, imitates }) => imitates || score >= storedScoreMin)
      .map(storedVerdict)
      .slice(0, verdictsMax),
    page: keptPage(page),
    reason:
      first?.imitates === true
        ? null
        : (whyNothingIsSeen(page, fingerprint) ??
          (noScreenshot === undefined ? null : `no screenshot was compared: ${visible(noScreenshot, 200)}`)),
    threatSeq: null,
  };
}

/** Returns why a page without an imitation says little about its site; null if it was seen. */
function whyNothingIsSeen(
  { parked, status, title, unseen }: Page,
  { forms, pictures, words }: PageFingerprint,
): string | null {
  if (parked !== undefined) return null;
  if (status >= 400) return `the server responds with an error (${status}), so there is no page to compare`;
  if (unseen !== undefined) return `not all of the page was seen: ${unseen}`;
  const isEmpty = title === "" && words.length === 0 && forms.length === 0 && pictures.length === 0;
  return isEmpty ? "the page is empty, also for other browsers and languages" : null;
}

function keptPage(page: Page): InspectedPage {
  const { finalUrl, redirects, status, title, asksForPassword, asksForCard } = page;
  const { framedBy, unseen, parked, from, shownTo } = page;
  return {
    finalUrl,
    redirects: redirects.slice(0, redirectsMax),
    status,
    title,
    asksForPassword,
    asksForCard,
    framedBy,
    unseen,
    parked,
    from,
    shownTo,
  };
}

/** Records the threats that pages are evidence of, but only of protected domains in `within`. */
export type ThreatRecorder = ReturnType<typeof createThreatRecorder>;

type Recorded = Pick<Inspection, "address" | "host" | "source" | "within">;

interface ThreatRecorderDependencies {
  clock: Pick<Clock, "now">;
  domains: Pick<ProtectedDomains, "find" | "matcher">;
  linkThreat: (id: string, threatId: string) => void;
  threats: Pick<Threats, "named" | "record">;
}

export function createThreatRecorder(dependencies: ThreatRecorderDependencies) {
  const { clock, domains, linkThreat, threats } = dependencies;
  const isWithin = ({ within }: Recorded, domain: string) => within === null || within.includes(domain);

  /** In the order of the hosts. */
  const threatsOf = (domain: string, hosts: readonly string[]) =>
    hosts.flatMap((host) => threats.named(domain, [host]).map(({ id }) => ({ id, host })));

  /** Returns the hosts to record threats for: the host that shows the page, and a host whose name is a threat, too. */
  function recordThreats(
    inspection: Recorded,
    verdicts: readonly Verdict[],
    page: ShownPage | null,
  ): string[] {
    const { host, source } = inspection;
    const isWanted = (domain: string) =>
      isWithin(inspection, domain) && domains.find(domain)?.enabled === true;
    const shown = page === null ? inspection : placeOf(inspection, page);
    const matcher = domains.matcher();
    const places: ReadAddress[] = shown.host === host ? [shown] : [shown, inspection];
    const sightings = verdicts
      .filter(({ imitates, protectedDomain }) => imitates && isWanted(protectedDomain))
      .flatMap(({ protectedDomain, score, signals }) =>
        places.flatMap((place): Sighting[] => {
          const seen = {
            domain: place.host,
            source,
            seenAt: clock.now(),
            ...(place.address === place.host ? {} : { url: place.address }),
          };
          const byName = matcher.match(place.host).find((match) => match.protectedDomain === protectedDomain);
          if (byName === undefined && place !== shown) return [];
          const match = { protectedDomain, type: "cloned_site" as const, similarity: score, reasons: [] };
          // The first sighting determines the type of a threat: the name describes it more closely.
          return [
            ...(byName === undefined ? [] : [{ ...seen, match: byName }]),
            { ...seen, match, page: { score, signals } },
          ];
        }),
      );
    threats.record(sightings);
    return places.map((place) => place.host);
  }

  /**
   * Returns what is found about them and about those on record, the highest score first. Must run within a transaction.
   */
  function record(inspection: Recorded, { existence, existenceThere, result }: Inspected): InspectedThreat[] {
    const { page, screenshot: webp, verdicts } = result;
    const hash = result.fingerprint.screenshot;
    const hosts = recordThreats(inspection, verdicts, page);
    const concerned = new Set(
      [...verdicts, ...hosts.flatMap((host) => domains.matcher().match(host))]
        .map(({ protectedDomain }) => protectedDomain)
        .filter((domain) => isWithin(inspection, domain)),
    );
    return [...concerned].flatMap((protectedDomain) => {
      const verdict = verdicts.find((one) => one.protectedDomain === protectedDomain);
      const { imitation: _imitation, ...rest } = page;
      const facts = verdict === undefined ? rest : { ...rest, imitation: storedVerdict(verdict) };
      return threatsOf(protectedDomain, hosts).map(({ id, host }) => ({
        threatId: id,
        protectedDomain,
        existence: host === inspection.host ? existence : (existenceThere ?? existence),
        page: facts,
        screenshot: webp === undefined && hash === undefined ? undefined : { webp, hash },
      }));
    });
  }

  return {
    record,

    /** Records the threats of a stored result. Must run within a transaction. */
    recordStored(inspection: Inspection) {
      const { id, page, protectedDomain, verdicts } = inspection;
      const hosts = recordThreats(inspection, verdicts, page);
      if (protectedDomain === null || !isWithin(inspection, protectedDomain)) return;
      const [threat] = threatsOf(protectedDomain, hosts);
      if (threat !== undefined) linkThreat(id, threat.id);
    },
  };
}
