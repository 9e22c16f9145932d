import { isAtOrBelow } from "../lib/host-names.ts";

/** RFC 6761, 6762, 8375, 9476 and what ICANN promised never to delegate. */
const localSuffixes = "localhost local internal home.arpa lan home corp mail test invalid alt".split(" ");

/** Whether a name is in no public DNS: those of this machine, of containers, of one's own network. */
export function isLocalName(name: string): boolean {
  return !name.includes(".") || localSuffixes.some((suffix) => isAtOrBelow(name, suffix));
}
