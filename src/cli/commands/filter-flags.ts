import { noFilter, type EventFilter } from "../../threats/events/event-filter.ts";
import { severities, threatSources, threatTypes } from "../../platform/vocabulary/threats.ts";
import type { OptionsOf } from "../terminal/command.ts";
import { choice, choices, texts, toggle } from "../terminal/flags.ts";

/** Flags for the filter of a subscription or a webhook endpoint. */
export const filterFlags = {
  minSeverity: choice("--min-severity <severity>", severities, "minimum severity of a threat", undefined),
  domain: texts("--domain <domain>", "only threats to this protected domain"),
  type: choices("--type <type>", threatTypes, "only threats of this type"),
  source: choices("--source <source>", threatSources, "only threats that this source found"),
  verifiedOnly: toggle("--verified-only", "only threats whose name is known to exist or whose page was seen"),
};

/** Flag of a command that changes a filter. */
export const allThreatsFlag = toggle("--all-threats", "remove all filters, before others are set");

/** Returns the filter with what was given, or undefined if nothing was. @param present filter of which the rest is kept */
export function readFilter(
  { minSeverity, domain, type, source, verifiedOnly }: OptionsOf<typeof filterFlags>,
  present: EventFilter | null = null,
): EventFilter | undefined {
  const given = {
    ...(minSeverity === undefined ? {} : { minSeverity }),
    ...(domain.length === 0 ? {} : { protectedDomains: domain }),
    ...(type.length === 0 ? {} : { types: type }),
    ...(source.length === 0 ? {} : { sources: source }),
    ...(verifiedOnly ? { verifiedOnly } : {}),
  };
  return Object.keys(given).length === 0 ? undefined : { ...(present ?? noFilter), ...given };
}

/** Returns a description such as `medium or higher, verified`, or null for a filter that matches everything. */
export function filterText(filter: EventFilter): string | null {
  const { minSeverity, protectedDomains, types, sources, verifiedOnly } = filter;
  const parts = [
    minSeverity === "low" ? "" : `${minSeverity}${minSeverity === "high" ? "" : " or higher"}`,
    verifiedOnly ? "verified" : "",
    types.join(" "),
    sources.join(" "),
    protectedDomains.join(" "),
  ];
  return parts.filter((part) => part !== "").join(", ") || null;
}

/** Returns the JSON form in command output; programs read its field names. */
export function filterShape(filter: EventFilter) {
  return {
    min_severity: filter.minSeverity,
    protected_domains: filter.protectedDomains,
    types: filter.types,
    sources: filter.sources,
    verified_only: filter.verifiedOnly,
  };
}
