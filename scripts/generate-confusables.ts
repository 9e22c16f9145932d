/**
 * Generates src/engines/detection/data/confusables.txt from the confusables.txt of Unicode Technical Standard #39 (part of
 * every ICU source archive as source/data/unidata/confusables.txt):
 *
 *     bun scripts/generate-confusables.ts path/to/confusables.txt
 *
 * Keeps only the characters that the engine needs a table for: those whose prototype differs from their compatibility
 * decomposition without marks.
 */
import { join } from "node:path";
import { stripped } from "../src/engines/detection/names/fold.ts";

const [source] = process.argv.slice(2);
if (source === undefined) {
  console.error("usage: bun scripts/generate-confusables.ts path/to/confusables.txt");
  process.exit(2);
}
const text = await Bun.file(source).text();
const version = /^# Version: (\S+)/m.exec(text)?.[1];
if (version === undefined) throw new Error(`${source} is not the confusables.txt of UTS #39`);

const prototypes = new Map<string, string>();
for (const line of text.split("\n")) {
  const fields = /^([0-9A-F]+) ;\s([0-9A-F ]+) ;\sMA/.exec(line);
  if (fields === null) continue;
  const points = fields[2]!.split(" ").map((hex) => Number.parseInt(hex, 16));
  prototypes.set(String.fromCodePoint(Number.parseInt(fields[1]!, 16)), String.fromCodePoint(...points));
}
// UTS #39 maps the letter m, and every character that looks like it, to "rn". Here m stays a letter, because alignment
// has the pair rn and m.
const letterOf = new Map([[prototypes.get("m")!, "m"]]);

const byTarget = new Map<string, number[]>();
for (const [character, prototype] of prototypes) {
  // Characters that decompose are looked up by their parts.
  if (character <= "\x7f" || stripped(character) !== character) continue;
  const target = settle(character, prototype);
  if (target === "" || target === stripped(character)) continue;
  byTarget.set(target, [...(byTarget.get(target) ?? []), character.codePointAt(0)!]);
}

/** Resolves prototypes of prototypes, in lowercase and without marks. */
function settle(character: string, prototype: string): string {
  let target = letterOf.get(prototype) ?? prototype;
  for (let round = 0; round < 4; round++) {
    target = Array.from(stripped(target), (part) => {
      const next = part <= "\x7f" ? part : (prototypes.get(part) ?? part);
      return letterOf.get(next) ?? next;
    }).join("");
  }
  // The lowercase form of a capital can look different: the prototype of U+0399 is the letter l.
  return stripped(target) === stripped(character) ? "" : stripped(target);
}

const hex = (characters: string): string =>
  Array.from(characters, (part) => part.codePointAt(0)!.toString(16)).join("+");
const lines = [...byTarget]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([target, points]) => {
    const shown = /^[a-z0-9-]+$/.test(target) ? target : `=${hex(target)}`;
    return `${shown} ${points
      .sort((a, b) => a - b)
      .map((point) => point.toString(16))
      .join(" ")}`;
  });
const head = [
  `# Confusable characters of Unicode ${version} (UTS #39, confusables.txt), reduced by scripts/generate-confusables.ts.`,
  "# Copyright 1991-2022 Unicode, Inc. Used under the Unicode License: https://www.unicode.org/license.txt",
  "# Each line: the target (letters, or = and code points), then the code points that look like it.",
];
await Bun.write(
  join(import.meta.dir, "../src/engines/detection/data/confusables.txt"),
  [...head, ...lines, ""].join("\n"),
);
console.log(
  `${lines.length} targets, ${lines.reduce((n, line) => n + line.split(" ").length - 1, 0)} characters`,
);
