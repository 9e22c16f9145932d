/** Why a threat is one that a beacon told of, for one's own eyes. */
export function cloneReason(beaconName: string): string {
  return `a page with the beacon "${beaconName}" was shown there`;
}

const ofBeacon = /^a page with the beacon ".*" was shown there$/s;

/**
 * Reasons as others may read them. Registrars hand reports on to whom they are about: who learns that the page has
 * a beacon takes it out of the copy.
 */
export function reasonsForOthers(reasons: readonly string[]): string[] {
  const told = reasons.map((reason) =>
    ofBeacon.test(reason) ? "a copy of our page was shown to visitors there" : reason,
  );
  return [...new Set(told)];
}
