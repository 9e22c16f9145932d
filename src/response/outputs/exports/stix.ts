import { toIsoTime } from "../../../platform/lib/clock.ts";
import { sentence } from "../../../platform/lib/wording.ts";
import { isMereReport } from "../../../threats/threats/severity/mere-report.ts";
import { describeSeverityReason } from "../../../threats/threats/severity/severity-reasons.ts";
import { describeForThirdParties } from "../../../threats/threats/severity/similarity-reasons.ts";
import { namedValues, type NamedValues } from "./named-values.ts";
import type { ExportedThreat } from "./threat-reader.ts";

/*
 * STIX 2.1 (https://docs.oasis-open.org/cti/stix/v2.1/os/stix-v2.1-os.html). Each threat is an indicator that keeps its
 * identifier in every export, so that platforms update it: `modified` moves on with every change, and `revoked` says
 * that it was resolved or is a false positive. That is final (section 3.2): a threat that becomes active again is another
 * indicator, beside which the earlier ones stay revoked.
 */

/** Namespace of identifiers (UUIDv5). The specification has one for observables only. */
const namespace = "6f1e1bd3-54a5-4f8e-9d1c-0f6a7a3b8c21";

/** The identity does not change, so neither do its times. */
const identityCreated = "2026-01-01T00:00:00.000Z";

function stixIdentityId(instanceId: string): string {
  return `identity--${Bun.randomUUIDv5(`identity ${instanceId}`, namespace)}`;
}

/** @param instanceId identifies this installation: two that found the same name create two objects */
export function stixIdentity(instanceId: string): object {
  return {
    type: "identity",
    spec_version: "2.1",
    id: stixIdentityId(instanceId),
    created: identityCreated,
    modified: identityCreated,
    name: "phishwatch",
    description: "An installation of phishwatch, which finds look-alikes of protected domains.",
    identity_class: "system",
  };
}

export function stixBundleId(instanceId: string, exportName: string): string {
  return `bundle--${Bun.randomUUIDv5(`bundle ${instanceId} ${exportName}`, namespace)}`;
}

/** Maximum number of earlier indicators of a threat. */
const earlierMax = 20;

/** Returns the indicators of a threat, the latest one last. */
export function stixIndicators(
  threat: ExportedThreat,
  context: { instanceId: string; publicUrl: string },
): object[] {
  const { reactivations, status } = threat;
  const count = Math.min(reactivations, earlierMax);
  return Array.from({ length: count + 1 }, (_, index) =>
    indicator(threat, {
      ...context,
      number: reactivations - count + index,
      isOver: index < count || status !== "active",
    }),
  );
}

function indicator(
  threat: ExportedThreat,
  {
    instanceId,
    publicUrl,
    number,
    isOver,
  }: { instanceId: string; publicUrl: string; number: number; isOver: boolean },
): object {
  const { id, type, status, severity, similarity, createdAt, changedAt, firstSeen } = threat;
  const named = namedValues(threat);
  const seed = `indicator ${instanceId} ${id}${number === 0 ? "" : ` ${number}`}`;
  return {
    type: "indicator",
    spec_version: "2.1",
    id: `indicator--${Bun.randomUUIDv5(seed, namespace)}`,
    created_by_ref: stixIdentityId(instanceId),
    created: toIsoTime(createdAt),
    modified: toIsoTime(Math.max(createdAt, changedAt)),
    ...(isOver ? { revoked: true } : {}),
    name: named.values[0],
    description: descriptionOf(threat),
    indicator_types: [typeOf(threat, named)],
    pattern: patternOf(named),
    pattern_type: "stix",
    pattern_version: "2.1",
    valid_from: toIsoTime(firstSeen),
    confidence: Math.round(similarity * 100),
    labels: ["phishing", type, `severity:${severity}`, `status:${status}`],
    external_references: [
      { source_name: "phishwatch", external_id: id, url: `${publicUrl}/console/threats/${id}` },
    ],
  };
}

function patternOf({ kind, values }: NamedValues): string {
  const object = kind === "url" ? "url" : "domain-name";
  return values.map((value) => `[${object}:value = ${stixString(value)}]`).join(" OR ");
}

function descriptionOf({
  protectedDomain,
  severity,
  severityReasons,
  reasons,
  type,
}: ExportedThreat): string {
  // A page that imitates the brand is a reason for both.
  const because = new Set([
    ...severityReasons.map(describeSeverityReason),
    ...describeForThirdParties(reasons),
  ]);
  const what = type === "cloned_site" ? "Page that imitates" : "Look-alike of";
  const start = `${what} ${protectedDomain}, severity ${severity}.`;
  return [start, ...[...because].map(sentence)].join(" ");
}

/** Values of the vocabulary indicator-type-ov. */
function typeOf(threat: ExportedThreat, { isExact }: NamedValues): string {
  if (threat.status === "false_positive") return "benign";
  return threat.verified && isExact && !isMereReport(threat) ? "malicious-activity" : "anomalous-activity";
}

/** Returns a string constant of a pattern (STIX 2.1, section 9.4). */
export function stixString(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
