import { gzipSync, zstdCompressSync } from "node:zlib";
import type { Random } from "../../benchmarks/random.ts";

const bytesMax = 40 * 1_048_576;
const fill = (text: string, bytes: number) => Buffer.alloc(bytes, text);

const contents: Record<string, { ending: string; bytes: (random: Random) => Buffer }> = {
  "one line without end": { ending: ".txt", bytes: () => fill("a", bytesMax) },
  "line breaks": { ending: ".txt", bytes: () => fill("\n", bytesMax / 4) },
  "dots and hyphens": { ending: ".txt", bytes: () => fill("-.", bytesMax / 8) },
  "one JSON line": { ending: ".jsonl", bytes: () => fill('{"a":', bytesMax / 2) },
  "nested JSON lines": {
    ending: ".jsonl",
    bytes: () => fill(`${'{"a":['.repeat(300)}${"]}".repeat(300)}\n`, bytesMax / 8),
  },
  "one CSV field": {
    ending: ".csv",
    bytes: () => Buffer.concat([Buffer.from('domain\n"'), fill('a,""\n', bytesMax / 2)]),
  },
  "CSV columns": {
    ending: ".csv",
    bytes: () => Buffer.concat([Buffer.from("domain"), fill(",", bytesMax / 4)]),
  },
  "zone parentheses": {
    ending: ".zone",
    bytes: () => Buffer.concat([Buffer.from("$ORIGIN com.\na IN SOA (\n"), fill("( ", bytesMax / 4)]),
  },
  "zone origins": {
    ending: ".zone",
    bytes: () => fill("$ORIGIN a.\n$INCLUDE /etc/passwd\nb 1 IN NS c\n", bytesMax / 8),
  },
  "look-alikes of one length": {
    ending: ".txt",
    bytes: (random) =>
      Buffer.from(
        Array.from(
          { length: 60_000 },
          () => `xn--${random.text("abcdefghijklmnopqrstuvwxyz0123456789-", 59)}.com`,
        ).join("\n"),
      ),
  },
  "random bytes": {
    ending: ".txt",
    bytes(random) {
      const bytes = Buffer.alloc(bytesMax / 20);
      random.fill(bytes);
      return bytes;
    },
  },
};

/** Returns a list of names that is made to be expensive, as a file with this ending. */
export function hostileList(random: Random): { kind: string; ending: string; bytes: Buffer } {
  const kind = random.pick(Object.keys(contents));
  const { ending, bytes: create } = contents[kind]!;
  const bytes = create(random);
  switch (random.below(4)) {
    case 0:
      return { kind: `${kind}, gzip`, ending: `${ending}.gz`, bytes: gzipSync(bytes, { level: 1 }) };
    case 1:
      return { kind: `${kind}, zstd`, ending: `${ending}.zst`, bytes: Buffer.from(zstdCompressSync(bytes)) };
    case 2: {
      const compressed = gzipSync(bytes, { level: 1 });
      for (let changes = 1 + random.below(4); changes > 0; changes -= 1)
        compressed[random.below(compressed.length)] = random.below(256);
      return { kind: `${kind}, broken gzip`, ending: `${ending}.gz`, bytes: compressed };
    }
    default:
      return { kind, ending, bytes };
  }
}
