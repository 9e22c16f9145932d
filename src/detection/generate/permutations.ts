/**
 * Names that somebody would register, or make below a name of theirs, to be taken for the protected one. Each
 * is put before the matcher, which gives type and similarity: what is generated is matched, and as the same.
 */
import { spellingsOf } from "../brand/brand-words.ts";
import { createMatcher } from "../match/matcher.ts";
import { domainFromLabels, isRegistrableLabel } from "../names/registrable.ts";
import { splitName } from "../names/suffix.ts";
import type { ProtectedName } from "../types.ts";
import type { ThreatType } from "../../vocabulary/threats.ts";
import { take, variantsOf } from "./variants.ts";
import { decodeLabel } from "../names/name.ts";

export interface Permutation {
  /** A-label form. */
  name: string;
  type: ThreatType;
  similarity: number;
}

/** Suffixes under which names are registered most, and those that phishing prefers. */
const suffixes = (
  "com net org info biz co io app dev me top xyz shop online site club live store vip pro icu cc tk ml ga cf gq " +
  "cyou click link work website space tech cloud digital support services finance bank money email network world " +
  "life fun today group center help security sbs cfd bond rest buzz lol mobi name asia eu us uk de fr es it nl be " +
  "ch at pl cz se no dk fi pt ie ru ua tr cn hk tw jp kr in id my sg th vn ph au nz ca mx br ar cl za co.uk com.br " +
  "com.au co.jp com.cn co.in com.mx com.tr com.co com.ar co.za co.nz co.kr com.sg com.hk com.tw pages.dev web.app " +
  "vercel.app netlify.app github.io blogspot.com weebly.com duckdns.org workers.dev firebaseapp.com ru.com za.com"
).split(" ");

/** Words that phishing puts beside a brand, the commonest first. */
const keywords = (
  "login secure account verify support online update security service signin help mail web pay bank app my info " +
  "customer client portal alert confirm auth sso id user admin center official billing payment wallet card shop " +
  "store team mobile cloud access unlock recovery refund bonus free promo gift claim airdrop track delivery post " +
  "reset password identity notification id-verify get go the new live hub"
).split(" ");

/** Host names whose dot is left out, or that are made into labels. */
const hostPrefixes = ["www", "ww", "wwww", "m", "mail", "webmail", "ftp", "smtp", "web", "vpn", "remote"];

export interface PermutationOptions {
  minSimilarity: number;
  /** So many at most. It bounds the work as well: some tens take a fraction of a second, whatever the domain. */
  limit?: number | undefined;
}

/**
 * Most likely first: the types take turns, each with its most similar name that is left, for the first hundred
 * should not all be homographs. Nothing that no registry would take.
 */
export function* permutations(
  protectedName: ProtectedName,
  options: PermutationOptions,
): Generator<Permutation> {
  const steps = permutationSteps(protectedName, options);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  yield* step.value;
}

/** The same as one list at the end of many steps, for callers who let others work in between. */
export function* permutationSteps(
  protectedName: ProtectedName,
  { minSimilarity, limit = Infinity }: PermutationOptions,
): Generator<void, Permutation[]> {
  const matcher = createMatcher([protectedName], { minSimilarity, filter: false });
  const seen = new Set<string>();
  const found: Permutation[] = [];
  for (const family of families(protectedName.domain)) {
    // One family alone may have to fill the list, and some of its names count for nothing.
    for (const name of take(namesOf(family), limit + spareNames)) {
      if (seen.has(name)) continue;
      seen.add(name);
      const [match] = matcher.match(name);
      if (match !== undefined) found.push({ name, type: match.type, similarity: match.similarity });
      yield;
    }
  }
  return inTurns(found).slice(0, limit);
}

/** Names above the limit that each family is asked for. */
const spareNames = 20;

/** The types in turns, each with its most similar name that is left. */
export function inTurns(found: readonly Permutation[]): Permutation[] {
  const ranks = new Map<ThreatType, number>();
  return found
    .toSorted((a, b) => b.similarity - a.similarity)
    .map((permutation) => {
      const rank = ranks.get(permutation.type) ?? 0;
      ranks.set(permutation.type, rank + 1);
      return { permutation, rank };
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ permutation }) => permutation);
}

/** Candidates by the way in which they are made, in each family the most likely first. */
function families(domain: string): Family[] {
  const { registrableLabel, suffix } = splitName(domain);
  const writings = variantsOf(decodeLabel(registrableLabel));
  return [...writings.map((labels) => ({ labels, under: [suffix] })), ...familiesBeside(domain)];
}

/** Labels, some with labels above them, with the suffixes that they are put before. */
export interface Family {
  labels: Iterable<string>;
  under: readonly string[];
}

/** What is made of a name, but for other writings of its label; of each the most likely first. */
export function familiesBeside(domain: string): Family[] {
  const { registrableLabel, suffix } = splitName(domain);
  const label = decodeLabel(registrableLabel);
  const joined = label + suffix.replaceAll(".", "");
  const dashed = `${label}-${suffix.replaceAll(".", "-")}`;
  const [firstOfSuffix = "", ...restOfSuffix] = suffix.split(".");
  const cuts = Array.from({ length: Math.max(0, label.length - 1) }, (_, index) => index + 1);
  return [
    // The label without its umlauts, which everybody can register and type.
    { labels: spellingsOf(registrableLabel), under: [suffix] },
    { labels: [label], under: suffixes },
    { labels: doppelgangers(label), under: [suffix] },
    // The dot within a suffix of two labels left out: exampleco.uk.
    ...(restOfSuffix.length > 0
      ? [{ labels: [label + firstOfSuffix], under: [restOfSuffix.join(".")] }]
      : []),
    { labels: [joined, dashed], under: [suffix, "com", "net", "org", "info", "top"] },
    { labels: combinations(label), under: [suffix, "com"] },
    // The whole name, as it looks on a telephone: the rest is cut off.
    { labels: keywords.map((word) => `${label}.${suffix}-${word}`), under: ["com", "net", "top"] },
    {
      labels: keywords.flatMap((word) => [`${word}-${label}`, `${label}-${word}`]),
      under: ["pages.dev", "web.app"],
    },
    { labels: cuts.map((at) => `${label.slice(0, at)}.${label.slice(at)}`), under: [suffix] },
  ];
}

/** Names of a family that can be registered, or made below a name. */
export function* namesOf({ labels, under }: Family): Generator<string> {
  for (const label of labels) {
    // No registry is asked about a label below a name, but host names hold it to the same rule.
    if (!label.split(".").every(isRegistrableLabel)) continue;
    for (const suffix of under) {
      const name = domainFromLabels(`${label}.${suffix}`);
      if (name !== undefined) yield name;
    }
  }
}

function* doppelgangers(label: string): Generator<string> {
  for (const prefix of hostPrefixes) yield* [`${prefix}${label}`, `${prefix}-${label}`];
}

function* combinations(label: string): Generator<string> {
  for (const keyword of keywords) {
    yield* [`${label}-${keyword}`, `${keyword}-${label}`, `${label}${keyword}`, `${keyword}${label}`];
  }
}
