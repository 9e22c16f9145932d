// Prints the names that contain a word, found with an Aho-Corasick automaton: exact words only.
// Usage: bun aho-corasick.js WORDS NAMES
import { readFileSync } from "node:fs";
import AhoCorasick from "modern-ahocorasick";

const [wordsFile, namesFile] = process.argv.slice(2);
const automaton = new AhoCorasick(readFileSync(wordsFile, "utf8").trim().split("\n"));
const found = [];
for (const name of readFileSync(namesFile, "latin1").split("\n")) {
  if (automaton.match(name)) found.push(`${name}\n`);
}
process.stdout.write(found.join(""));
