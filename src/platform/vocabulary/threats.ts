/** Types that detection finds in names, and `cloned_site`, which describes a page. */
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
