import type { ProtectedName } from "../../src/engines/detection/types.ts";
import { randomFrom, type Random } from "./random.ts";

/** Generates names of syllables, some with hyphens or digits, similar to newly registered ones. */
export function generateNames(size: number, seed = 1): Uint8Array<ArrayBuffer> {
  const random = randomFrom(seed);
  const lines: string[] = [];
  for (let i = 0; i < size; i++) {
    let label = syllables(random, 2 + random.below(5));
    if (random.below(10) === 0) label += `-${syllables(random, 2)}`;
    if (random.below(8) === 0) label += String(random.below(1000));
    lines.push(`${label}.${random.pick(["com", "net", "org", "top", "de"])}\n`);
  }
  return new Uint8Array(Buffer.from(lines.join("")));
}

/** Generates protected domains of syllables. */
export function generateBrands(size: number): ProtectedName[] {
  const random = randomFrom(2);
  return Array.from({ length: size }, () => ({
    domain: `${syllables(random, 3 + random.below(3))}.com`,
    keywords: [],
    allow: [],
  }));
}

function syllables(random: Random, size: number): string {
  let text = "";
  for (let i = 0; i < size; i++) {
    text += random.text("bcdfglmnprstvkhw", 1) + random.text("aeiouaeio", 1);
    if (random.below(4) === 0) text += random.text("nrslt", 1);
  }
  return text;
}
