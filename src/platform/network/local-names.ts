import { isAtOrBelow } from "../lib/host-names.ts";

/** RFC 6761, 6762, 8375, 9476, and suffixes that ICANN promised never to delegate. */
const localSuffixes = "localhost local internal home.arpa lan home corp mail test invalid alt".split(" ");

/** Returns whether a name cannot be in public DNS: names of this machine, of containers, of a private network. */
export function isLocalName(name: string): boolean {
  return !name.includes(".") || localSuffixes.some((suffix) => isAtOrBelow(name, suffix));
}
