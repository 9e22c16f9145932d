import type { FillRandom } from "../../lib/ids.ts";
import type { DnsAnswer, DnsType } from "./dns-message.ts";
import type { Resolver } from "./dns-resolvers.ts";
import type { NameServer } from "./dns-transport.ts";

export interface ResolverCheck {
  server: NameServer;
  /**
   * `honest`: knows names that always exist, and reports that a name does not exist. `lying`: returns an address for
   * every name, as advertising and captive portals do. `denying`: reports that even names that always exist do not
   * exist, as a resolver does that is cut off from the internet or resolves only listed names. `silent`: gives no
   * usable response.
   */
  verdict: ResolverVerdict;
  /** The response, or why there was none. */
  detail: string;
}

export const resolverVerdicts = ["honest", "lying", "denying", "silent"] as const;
export type ResolverVerdict = (typeof resolverVerdicts)[number];

/** Queries one resolver once. */
export type Ask = (name: string, type: DnsType, resolver: Resolver) => Promise<DnsAnswer>;

/**
 * Suffixes for the checks. Every DNS with a path to the root servers knows their name servers, and twenty
 * random letters below them are not registered.
 */
const probedSuffixes = ["com", "net", "org"];
const probeLabelLength = 20;
/** A single lost datagram says nothing about a resolver. */
const roundsMax = 3;

/** Whether a resolver knows names that always exist. `silent`: it gave no usable response. */
export type Knowledge = "knows" | "denies" | "silent";

/** Queries a resolver for names that always exist, again if there is no response. One query if all is well. */
export async function probeKnownNames(ask: Ask, resolver: Resolver): Promise<Knowledge> {
  const denied = new Set<string>();
  for (let round = 0; round < roundsMax && denied.size < probedSuffixes.length; round++) {
    const left = probedSuffixes.filter((suffix) => !denied.has(suffix));
    // The others are queried only if the first one is not known.
    const batches = round === 0 ? [left.slice(0, 1), left.slice(1)] : [left];
    for (const batch of batches) {
      const answers = await Promise.all(batch.map((suffix) => ask(suffix, "NS", resolver)));
      if (answers.some(({ outcome }) => outcome === "answer")) return "knows";
      answers.forEach(({ outcome }, index) => outcome !== "unknown" && denied.add(batch[index]!));
    }
  }
  return denied.size > 0 ? "denies" : "silent";
}

/** Checks one resolver with names that cannot exist and names that always do. */
export async function checkResolver(
  { ask, fillRandom }: { ask: Ask; fillRandom: FillRandom },
  resolver: Resolver,
): Promise<ResolverCheck> {
  const { server } = resolver;
  const [probes, knowledge] = await Promise.all([
    Promise.all(probedSuffixes.map((suffix) => probeImpossibleName(ask, resolver, suffix, fillRandom))),
    probeKnownNames(ask, resolver),
  ]);
  for (const { name, answer } of probes)
    if (answer.outcome === "answer") {
      const detail = `${name} is ${answer.records.map(({ data }) => String(data)).join(", ")}`;
      return { server, verdict: "lying", detail };
    }
  if (knowledge === "denies") return { server, verdict: "denying", detail: denyingText };
  if (knowledge === "knows" && probes.some(({ answer }) => answer.outcome !== "unknown"))
    return { server, verdict: "honest", detail: "says when a name does not exist" };
  const reasons = probes.flatMap(({ answer }) => (answer.outcome === "unknown" ? [answer.reason] : []));
  return { server, verdict: "silent", detail: reasons.at(-1) ?? `no usable response about "com"` };
}

/** Describes a resolver that denies every name. */
export const denyingText = 'says that not even "com" exists';

async function probeImpossibleName(ask: Ask, resolver: Resolver, suffix: string, fillRandom: FillRandom) {
  const name = `${randomLabel(fillRandom, probeLabelLength)}.${suffix}`;
  let answer = await ask(name, "A", resolver);
  for (let round = 1; round < roundsMax && answer.outcome === "unknown"; round++)
    answer = await ask(name, "A", resolver);
  return { name, answer };
}

const labelLetters = "abcdefghijklmnopqrstuvwxyz";

/** Returns a random label, which is not registered. */
export function randomLabel(fillRandom: FillRandom, length: number): string {
  const bytes = new Uint8Array(length);
  fillRandom(bytes, "label");
  return Array.from(bytes, (byte) => labelLetters[byte % labelLetters.length]).join("");
}
