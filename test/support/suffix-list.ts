import { join } from "node:path";

/** Tables of tldts, from which the published form of the list can be written again. */
interface Trie {
  edgeStart: ArrayLike<number>;
  edgeLength: ArrayLike<number>;
  edgeChild: ArrayLike<number>;
  nodeFlags: ArrayLike<number>;
  labelText: string;
  rulesRoot: number;
  exceptionsRoot: number;
}

const icann = 1;
const hosted = 2;

/** Returns the public suffix list that tldts contains, in its published form. */
export async function publicSuffixList(): Promise<string> {
  const path = join(import.meta.dir, "../../node_modules/tldts/dist/es6/src/data/trie.js");
  const trie = (await import(path)) as Trie;
  const offsets: number[] = [];
  for (let edge = 0, at = 0; edge < trie.edgeLength.length; at += trie.edgeLength[edge++]!) offsets.push(at);
  const sections: Record<number, string[]> = { [icann]: [], [hosted]: [] };

  function walk(node: number, name: string, prefix: string): void {
    for (let edge = trie.edgeStart[node]!; edge < trie.edgeStart[node + 1]!; edge++) {
      const label = trie.labelText.slice(offsets[edge]!, offsets[edge]! + trie.edgeLength[edge]!);
      const rule = name === "" ? label : `${label}.${name}`;
      const child = trie.edgeChild[edge]!;
      sections[trie.nodeFlags[child]!]?.push(prefix + rule);
      walk(child, rule, prefix);
    }
  }

  walk(trie.rulesRoot, "", "");
  walk(trie.exceptionsRoot, "", "!");
  const section = (title: string, rules: string[]) =>
    `// ===BEGIN ${title} DOMAINS===\n${rules.join("\n")}\n// ===END ${title} DOMAINS===\n`;
  return `// a comment\n${section("ICANN", sections[icann]!)}\n${section("PRIVATE", sections[hosted]!)}`;
}
