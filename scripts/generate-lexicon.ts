/**
 * Generates words.txt, common-words.txt and popular-names.txt in src/engines/detection/data:
 *
 *     bun scripts/generate-lexicon.ts path/to/scowl path/to/top-sites.json
 *
 * `scowl` is the folder of the Spell Checker Oriented Word Lists (on Debian /usr/share/dict/scowl, package
 * scowl), `top-sites.json` the file of that name in the npm package top-sites.
 */
import { join } from "node:path";
import { splitName } from "../src/engines/detection/names/suffix.ts";

const [scowl, topSites] = process.argv.slice(2);
if (scowl === undefined || topSites === undefined) {
  console.error("usage: bun scripts/generate-lexicon.ts path/to/scowl path/to/top-sites.json");
  process.exit(2);
}
const target = join(import.meta.dir, "../src/engines/detection/data");

/** Excludes the larger sizes: with their rare words, nearly every typo of a short word would be a word. */
const sizes = [10, 20, 35, 40, 50];
/** Sizes up to this one contain the 12,000 most common words. The next size is three times as large. */
const commonSizeMax = 20;
const commonLengths = /^[a-z]{4,5}$/;

const words = new Set<string>();
const commonWords = new Set<string>();
for (const spelling of ["english", "american", "british"]) {
  for (const size of sizes) {
    const file = Bun.file(join(scowl, `${spelling}-words.${size}`));
    const text = new TextDecoder("latin1").decode(await file.arrayBuffer());
    for (const word of text.split("\n")) {
      if (!/^[a-z]{3,14}$/.test(word)) continue;
      words.add(word);
      if (size <= commonSizeMax && commonLengths.test(word)) commonWords.add(word);
    }
  }
}
const license = [
  "# Copyright 2000-2011 Kevin Atkinson. Permission to use, copy, modify, distribute and sell these word lists,",
  "# the associated scripts, the output created from the scripts, and its documentation for any purpose is",
  "# hereby granted without fee, provided that the above copyright notice appears in all copies and that both",
  "# that copyright notice and this permission notice appear in supporting documentation. Kevin Atkinson makes",
  '# no representations about the suitability of this array for any purpose. It is provided "as is" without',
  "# express or implied warranty.",
];
await write("words.txt", [
  "# English words of 3 to 14 letters from SCOWL (Spell Checker Oriented Word Lists), sizes 10 to 50.",
  ...license,
  ...[...words].sort(),
]);
await write("common-words.txt", [
  "# Common English words of 4 and 5 letters from SCOWL (Spell Checker Oriented Word Lists), sizes 10 and 20.",
  ...license,
  ...[...commonWords].sort(),
]);

const sites = (await Bun.file(topSites).json()) as { rootDomain: string }[];
const names = new Set(sites.map((site) => splitName(site.rootDomain).registrableDomain).filter(Boolean));
await write("popular-names.txt", [
  "# Registrable names of the 500 most linked sites, from the npm package top-sites 1.1.222.",
  "# Copyright 2018 Kiko Beats, MIT License.",
  ...[...names].sort(),
]);
console.log(`${words.size} words, ${commonWords.size} short common ones, ${names.size} popular names`);

async function write(file: string, lines: readonly string[]): Promise<void> {
  await Bun.write(join(target, file), [...lines, ""].join("\n"));
}
