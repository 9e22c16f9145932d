/** Kinds of imitation (contract); `cloned_site` comes from beacons, the others from the name itself. */
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
