import { randomFrom, type Random } from "../../benchmarks/random.ts";
import { hostilePage, hostileResponse, type Hostile } from "./http-responses.ts";
import { hostileRdap, hostileWhois } from "./registration-responses.ts";

/** `dns` has no response of its own: it depends on the query. */
export const subjects = ["page", "rdap", "whois", "receiver", "dns"] as const;
export type Subject = (typeof subjects)[number];

/** Name of an ordinary page of the size of the hostile ones. */
export const harmlessName = "harmless.com";

/** Returns the name whose lookup gets this input. */
export const domainOf = (subject: Subject, index: number): string => `${subject}-${index}.com`;

/** Spreads the seeds of neighboring inputs (a prime near 2^32 divided by the golden ratio). */
const seedStep = 2_654_435_761;

export const randomOfInput = ({ seed, index }: { seed: number; index: number }): Random =>
  randomFrom((seed + Math.imul(index + 1, seedStep)) >>> 0);

/** Returns input `index` of a campaign. The same seed and index give the same input. */
export function hostileInput(
  subject: Exclude<Subject, "dns">,
  { seed, index }: { seed: number; index: number },
): Hostile {
  const random = randomOfInput({ seed, index });
  switch (subject) {
    case "page":
      return hostileResponse(random, hostilePage(random));
    case "rdap":
      return hostileResponse(random, {
        ...hostileRdap(random, domainOf(subject, index)),
        contentType: "application/rdap+json",
      });
    case "receiver":
      return hostileResponse(random, { kind: "receiver body", body: Buffer.alloc(100_000, "x") });
    case "whois": {
      const { kind, body } = hostileWhois(random, domainOf(subject, index));
      return { kind, bytes: body, end: random.pick(["close", "close", "reset", "hang"] as const) };
    }
  }
}
