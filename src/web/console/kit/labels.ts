import labels from "./labels.json" with { type: "json" };
import type { HostField } from "../../../threats/index/columns/hosts.ts";
import type { Indicator } from "../../../threats/threats/severity/indicators.ts";
import type { ThreatSource, ThreatType } from "../../../platform/vocabulary/threats.ts";
import type { Role } from "../../../platform/vocabulary/permissions.ts";

/** Formats a value of the API for people: `false_positive` as `false positive`, `tld_squatting` as `TLD squatting`. */
export function inWords(value: string): string {
  return value.replaceAll("_", " ").replace(/^tld\b/, "TLD");
}

/** Descriptions of the types, for people who do not know the terms. */
export const typeDescriptions: Record<ThreatType, string> = labels.types;

/** Labels of who hosts a name. */
export const hostLabels: Record<HostField, string> = labels.hosts;

export const indicatorLabels: Record<Indicator, string> = labels.indicators;

/** Names of the sources of threats, for a sentence after "found by". */
export const sourceLabels: Record<ThreatSource, string> = labels.sources;

/** Describes what each role may do, for a sentence after the role. */
export const roleWords: Record<Role, string> = labels.roles;
