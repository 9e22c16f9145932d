import type { ProtectedDomains } from "../../domains/domains.ts";
import type { Clock, Instant } from "../../lib/clock.ts";
import type { Existence } from "../../lookups/dns/existence.ts";
import { visible } from "../../lib/safe-text.ts";
import type { Page } from "../../lookups/page/page-lookup.ts";
import type { Sighting } from "../../threats/record.ts";
import type { Threats } from "../../threats/threats.ts";
import type { InspectedPage, Inspection } from "../model/inspection.ts";
import type { PageFingerprint } from "../model/fingerprint.ts";
import { storedVerdict, type Verdict } from "../model/verdict.ts";
import type { Attempt } from "./attempt.ts";
import type { Outcome } from "../store/inspection-store.ts";

/** Verdicts that are stored, of which the first one decides. */
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
  const { from, parked, shownTo, unseen } = page;
  return {
    finalUrl,
    redirects: redirects.slice(0, redirectsMax),
    status,
    title,
    asksForPassword,
    asksForCard,
    ...(unseen === undefined ? {} : { unseen }),
    ...(parked === undefined ? {} : { parked }),
    ...(from === undefined ? {} : { from }),
    ...(shownTo === undefined ? {} : { shownTo }),
  };
}

/** Records the threats that pages are evidence of, of the protected domains in `within` only. */
export interface ThreatRecorder {
  /**
   * Returns what is found about them and about those on record, the highest score first. Must run within a transaction.
   */
  record(inspection: Recorded, inspected: Inspected): InspectedThreat[];
  /** Records those of a stored result. Must run within a transaction. */
  recordStored(inspection: Inspection): void;
}

type Recorded = Pick<Inspection, "address" | "host" | "source" | "within">;

export function createThreatRecorder({
  clock,
  domains,
  linkThreat,
  threats,
}: {
  clock: Pick<Clock, "now">;
  domains: Pick<ProtectedDomains, "find" | "matcher">;
  linkThreat: (id: string, threatId: string) => void;
  threats: Pick<Threats, "named" | "record">;
}): ThreatRecorder {
  const isWithin = ({ within }: Recorded, domain: string) => within === null || within.includes(domain);

  function recordThreats(inspection: Recorded, verdicts: readonly Verdict[]): void {
    const { address, host, source } = inspection;
    const isWanted = (domain: string) =>
      isWithin(inspection, domain) && domains.find(domain)?.enabled === true;
    const matches = domains.matcher().match(host);
    const seen = {
      domain: host,
      source,
      seenAt: clock.now(),
      ...(address === host ? {} : { url: address }),
    };
    const sightings = verdicts
      .filter(({ imitates, protectedDomain }) => imitates && isWanted(protectedDomain))
      .flatMap(({ protectedDomain, score, signals }): Sighting[] => {
        const byName = matches.find((match) => match.protectedDomain === protectedDomain);
        const match = { protectedDomain, type: "cloned_site" as const, similarity: score, reasons: [] };
        // The type of a threat is that of its first sighting: what the name shows is the closer description.
        return [
          ...(byName === undefined ? [] : [{ ...seen, match: byName }]),
          { ...seen, match, page: { score, signals } },
        ];
      });
    threats.record(sightings);
  }

  function record(inspection: Recorded, { existence, result }: Inspected): InspectedThreat[] {
    const { page, screenshot: webp, verdicts } = result;
    const { host } = inspection;
    const hash = result.fingerprint.screenshot;
    recordThreats(inspection, verdicts);
    const concerned = new Set(
      [...verdicts, ...domains.matcher().match(host)]
        .map(({ protectedDomain }) => protectedDomain)
        .filter((domain) => isWithin(inspection, domain)),
    );
    return [...concerned].flatMap((protectedDomain) => {
      const verdict = verdicts.find((one) => one.protectedDomain === protectedDomain);
      const { imitation: _imitation, ...rest } = page;
      const facts = verdict === undefined ? rest : { ...rest, imitation: storedVerdict(verdict) };
      return threats.named(protectedDomain, [host]).map(({ id }) => ({
        threatId: id,
        protectedDomain,
        existence,
        page: facts,
        ...(webp === undefined && hash === undefined ? {} : { screenshot: { webp, hash } }),
      }));
    });
  }

  return {
    record,
    recordStored(inspection) {
      const { host, id, protectedDomain, verdicts } = inspection;
      recordThreats(inspection, verdicts);
      if (protectedDomain === null || !isWithin(inspection, protectedDomain)) return;
      const [threat] = threats.named(protectedDomain, [host]);
      if (threat !== undefined) linkThreat(id, threat.id);
    },
  };
}
