// Prints the names whose first label has a small Levenshtein distance to a word, or that contain a word. This is the
// rule of openSquat, which is a Python program; here the distance is the bit-parallel one of fastest-levenshtein.
// Usage: bun levenshtein.js WORDS NAMES
import { readFileSync } from "node:fs";
import { distance } from "fastest-levenshtein";

const distanceMax = 2;
const [wordsFile, namesFile] = process.argv.slice(2);
const words = readFileSync(wordsFile, "utf8").trim().split("\n");
const isSimilar = (name) => {
  const dot = name.indexOf(".");
  const label = dot < 0 ? name : name.slice(0, dot);
  return words.some((word) => distance(word, label) <= distanceMax || name.includes(word));
};
const found = [];
for (const name of readFileSync(namesFile, "latin1").split("\n")) {
  if (name !== "" && isSimilar(name)) found.push(`${name}\n`);
}
process.stdout.write(found.join(""));
