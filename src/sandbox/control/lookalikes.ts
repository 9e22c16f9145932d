import type { App } from "../../app/app.ts";
import { normalizeName } from "../../engines/detection/names/name.ts";
import type { Reason } from "../../engines/detection/types.ts";
import { badRequest, notFound } from "../../platform/lib/errors.ts";
import { jsonFields } from "../../platform/lib/key-names.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import type { Sighting } from "../../threats/threats/record.ts";
import type { ThreatType } from "../../platform/vocabulary/threats.ts";
import { namesOnRecord } from "../instance/scan.ts";

interface LookalikeOptions {
  protected_domain?: string;
  type?: ThreatType;
  similarity?: number;
}

/**
 * Returns names that are not on record, the same ones in the same state. They come with their match, so detection
 * does not have to be loaded for them.
 */
export function newNames(
  app: App,
  count: number,
  { protected_domain: wanted, type = "combosquatting", similarity = madeSimilarity }: LookalikeOptions,
): Pick<Sighting, "domain" | "match">[] {
  const protectedDomain = wanted === undefined ? enabledDomains(app)[0]! : protectedName(app, wanted);
  const dot = protectedDomain.indexOf(".");
  const brand = protectedDomain.slice(0, dot);
  const known = new Set(namesOnRecord(app).map(({ domain }) => domain));
  const made: ReturnType<typeof newNames> = [];
  for (let number = 1; made.length < count; number += 1) {
    const label = `${brand}-login${number}`;
    const domain = label + protectedDomain.slice(dot);
    if (known.has(domain)) continue;
    const reasons: Reason[] = [
      { code: "label_part", params: { label, position: 0, found: brand } },
      { code: "keyword", params: { label, keyword: "login" } },
    ];
    made.push({ domain, match: { protectedDomain, type, similarity, reasons } });
  }
  return made;
}

const madeSimilarity = 0.96;

export function matchOf(app: App, domain: string, wanted: LookalikeOptions): Sighting["match"] {
  const protectedDomain =
    wanted.protected_domain === undefined ? undefined : protectedName(app, wanted.protected_domain);
  const { type, similarity } = wanted;
  if (type !== undefined && similarity !== undefined)
    return { protectedDomain: protectedDomain ?? enabledDomains(app)[0]!, type, similarity, reasons: [] };
  const match = app.domains
    .matcher()
    .match(domain)
    .find((one) => protectedDomain === undefined || one.protectedDomain === protectedDomain);
  if (match !== undefined)
    return { ...match, type: type ?? match.type, similarity: similarity ?? match.similarity };
  throw badRequest(
    `${visible(domain, 100)} does not resemble ${protectedDomain ?? "any protected domain"} enough to be a threat; send "type" and "similarity" as well.`,
  );
}

/** @throws PublicError `bad_request` */
export function nameOf(given: string): string {
  const result = normalizeName(given);
  if ("name" in result) return result.name;
  throw badRequest(`"${visible(given, 100)}" is not a domain name: it ${result.error}.`);
}

export function enabledDomains(app: App): string[] {
  const names = app.domains.list().flatMap(({ domain, enabled }) => (enabled ? [domain] : []));
  if (names.length === 0) throw badRequest("There is no protected domain.");
  return names;
}

export function protectedName(app: App, given: string): string {
  const found = app.domains.find(given);
  if (found?.enabled === true) return found.domain;
  throw notFound(
    `${visible(given, 100)} is not a protected domain; there are ${enabledDomains(app).slice(0, 10).join(", ")}.`,
  );
}

/** Returns a threat in the form of the control plane. */
export function describeThreat({ threats }: App, id: string) {
  return jsonFields(threats.get(id)!, "id domain protectedDomain type severity status similarity");
}
