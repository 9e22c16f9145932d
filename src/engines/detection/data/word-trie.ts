/** A trie of a few thousand words, to find all of them that start at one place of a text without cutting it up. */

/** Characters of a text, as `charCodeAt` returns them. */
const codeCount = 0x10000;

export interface WordTrie {
  /** Returns the node of one more character below `node`, or 0 if no word continues with it. The root is node 0. */
  next(node: number, code: number): number;
  /** Returns the flags of the word that ends at the node, or 0 if none ends there. */
  flags(node: number): number;
}

/** @param words with their flags, which are at least 1; those of a word that occurs again are combined */
export function createWordTrie(words: readonly (readonly [word: string, flags: number])[]): WordTrie {
  const symbols = new Uint8Array(codeCount);
  let symbolCount = 1;
  let characters = 0;
  for (const [word] of words) {
    characters += word.length;
    for (let i = 0; i < word.length; i++) symbols[word.charCodeAt(i)] ||= symbolCount++;
  }
  // A data update may replace the lists by ones that need more nodes.
  const NodeArray = characters < 2 ** 16 ? Uint16Array : Uint32Array;
  const nodes = new NodeArray((characters + 1) * symbolCount);
  const flagsOf = new Uint8Array(characters + 1);
  let nodeCount = 1;
  for (const [word, flags] of words) {
    let node = 0;
    for (let i = 0; i < word.length; i++) {
      const at = node * symbolCount + symbols[word.charCodeAt(i)]!;
      node = nodes[at] ||= nodeCount++;
    }
    flagsOf[node]! |= flags;
  }
  return {
    // No word contains symbol 0, so its node is 0.
    next: (node, code) => nodes[node * symbolCount + symbols[code]!]!,
    flags: (node) => flagsOf[node]!,
  };
}
