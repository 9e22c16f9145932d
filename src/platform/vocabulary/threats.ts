/** Kinds of squatting. A name that fits several gets the most specific one, see `specificity`. */
export const threatTypes = [
  "typosquatting",
  "bitsquatting",
  "homograph",
  "combosquatting",
  "levelsquatting",
  "tld_squatting",
  "doppelganger",
  "soundsquatting",
  "cloned_site",
] as const;
export type ThreatType = (typeof threatTypes)[number];

/** Types that a name alone can have, most specific first. `cloned_site` describes a page, not a name. */
export const specificity = [
  "homograph",
  "bitsquatting",
  "typosquatting",
  "tld_squatting",
  "doppelganger",
  "levelsquatting",
  "combosquatting",
  "soundsquatting",
] as const satisfies readonly ThreatType[];

export const statuses = ["active", "resolved", "false_positive"] as const;
export type Status = (typeof statuses)[number];

export const severities = ["high", "medium", "low"] as const;
export type Severity = (typeof severities)[number];

/** Outcomes of a sighting: whether it created the threat. */
export const sightingOutcomes = ["created", "known"] as const;
export type SightingOutcome = (typeof sightingOutcomes)[number];

/** Outcomes of a batch decision for one threat. */
export const decisionOutcomes = ["updated", "unchanged", "not_found", "forbidden"] as const;
export type DecisionOutcome = (typeof decisionOutcomes)[number];

/** How a threat was detected. */
export const threatSources = ["scan", "certificate_transparency", "feed", "submission", "beacon"] as const;
export type ThreatSource = (typeof threatSources)[number];
