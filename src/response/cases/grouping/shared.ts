/**
 * Rule that learns which attributes are shared: attributes of hosters, content delivery networks, registrars and platforms
 * serve names of many makers, and are no reason to join threats. What phishwatch knows of a maker: the name's protected
 * domain and shape, and when and where the name was registered.
 */

/** Counts of the names that an attribute serves. */
export interface Diversity {
  names: number;
  /** Different protected brands. */
  brands: number;
  /** Different pairs of brand and shape of the name. */
  families: number;
  /** Names of which registrar and time of registration are known. */
  registered: number;
  /** Different pairs of registrar and day of registration. */
  orders: number;
}

/** More names than this share nothing that would tell them apart. */
export const namesPerAttributeMax = 2_000;
/** Fewer names than this never make an attribute shared, so their diversity need not be counted. */
export const namesToLearn = 6;
/** Names of one brand resemble each other, so that this many of different shapes count as one dissimilar name. */
const shapesPerName = 4;
/** Enough dissimilar names without data about their registration. */
const widelySharedNames = 100;
/** Enough if most registrations are unknown. */
const sharedNames = 25;
/** Enough if the names were also registered in many orders. */
const separatelyOrderedNames = 6;
const ordersMin = 12;
/** Registrations are compared with at most this many names, because a year has few days. */
const ordersComparedMax = 100;

/** Returns whether an attribute serves names of many makers. */
export function isShared({ names, brands, families, registered, orders }: Diversity): boolean {
  if (names > namesPerAttributeMax) return true;
  const dissimilar = brands + (families - brands) / shapesPerName;
  if (dissimilar >= widelySharedNames) return true;
  if (registered * 2 < names) return dissimilar >= sharedNames;
  const separate = Math.max(ordersMin, Math.min(registered, ordersComparedMax) / 2);
  return dissimilar >= separatelyOrderedNames && orders >= separate;
}
