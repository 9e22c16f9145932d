import type { NewTrap, Trap } from "../../trap.ts";

/** Data that only beacons have. */
export interface BeaconDetails {
  /** Additional hosts that may show the page, including all hosts below them; A-labels. */
  allow: string[];
}

export type Beacon = Trap<BeaconDetails>;

export interface NewBeacon extends NewTrap {
  /** In any form. */
  protectedDomain: string;
  /** Host names in any form. */
  allow?: readonly string[];
}

/** Returns all hosts that may show the page, including all hosts below them: the protected domain first. */
export function ownHosts({ protectedDomain, details }: Beacon): string[] {
  const { domain, allow } = protectedDomain!;
  return [...new Set([domain, ...allow, ...details.allow])];
}
