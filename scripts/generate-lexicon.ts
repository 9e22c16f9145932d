/**
 * Makes src/detection/words.txt and src/detection/popular-names.txt:
 *
 *     bun scripts/generate-lexicon.ts path/to/scowl path/to/top-sites.json
 *
 * `scowl` is the folder of the Spell Checker Oriented Word Lists (on Debian /usr/share/dict/scowl, package
 * scowl), `top-sites.json` the file of that name in the npm package top-sites.
 */
import { join } from "node:path";
import { splitName } from "../src/detection/suffix.ts";

const [scowl, topSites] = process.argv.slice(2);
if (scowl === undefined || topSites === undefined) {
  console.error("usage: bun scripts/generate-lexicon.ts path/to/scowl path/to/top-sites.json");
  process.exit(2);
}
const target = join(import.meta.dir, "../src/detection");

/** Common words only: with rarer ones nearly every typo of a short word is a word itself. */
const sizes = [10, 20, 35, 40, 50];
const words = new Set<string>();
for (const spelling of ["english", "american", "british"]) {
  for (const size of sizes) {
    const file = Bun.file(join(scowl, `${spelling}-words.${size}`));
    const text = new TextDecoder("latin1").decode(await file.arrayBuffer());
    for (const word of text.split("\n")) if (/^[a-z]{3,14}$/.test(word)) words.add(word);
  }
}
await Bun.write(
  join(target, "words.txt"),
  [
    "# English words of 3 to 14 letters from SCOWL (Spell Checker Oriented Word Lists), sizes 10 to 50.",
    "# Copyright 2000-2011 Kevin Atkinson. Permission to use, copy, modify, distribute and sell these word lists,",
    "# the associated scripts, the output created from the scripts, and its documentation for any purpose is",
    "# hereby granted without fee, provided that the above copyright notice appears in all copies and that both",
    "# that copyright notice and this permission notice appear in supporting documentation. Kevin Atkinson makes",
    '# no representations about the suitability of this array for any purpose. It is provided "as is" without',
    "# express or implied warranty.",
    ...[...words].sort(),
    "",
  ].join("\n"),
);

const sites = (await Bun.file(topSites).json()) as { rootDomain: string }[];
const names = new Set(sites.map((site) => splitName(site.rootDomain).registrableDomain).filter(Boolean));
await Bun.write(
  join(target, "popular-names.txt"),
  [
    "# The registrable names of the 500 most linked sites, from the npm package top-sites 1.1.222.",
    "# Copyright 2018 Kiko Beats, MIT License.",
    ...[...names].sort(),
    "",
  ].join("\n"),
);
console.log(`${words.size} words, ${names.size} popular names`);
