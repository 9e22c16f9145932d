// Reads a page of 1 MiB that repeats one piece of markup, and prints by how many MiB the memory of the process grew at
// most, without garbage: held-memory.ts MARKUP.
import { namesBrand } from "../../src/facts/lookups/page/page-indicators.ts";
import { readPage } from "../../src/facts/lookups/page/page-content.ts";
import { decodePage } from "../../src/facts/lookups/markup/page-text.ts";
import { createTurns } from "../../src/platform/network/turns.ts";

const mebibyte = 1 << 20;
/** Pieces of the page between two measurements, each of which collects the garbage. */
const piecesBetween = 16;

const body = Buffer.alloc(mebibyte, process.argv[2]!);
const turns = createTurns();

async function read(pieces: Iterable<string>): Promise<void> {
  const content = await readPage(pieces, turns);
  await namesBrand(content, ["example-bank"], "example-banc.com", turns);
}

const used = () => {
  Bun.gc(true);
  return process.memoryUsage.rss() / mebibyte;
};

// Loads and compiles the code.
for (let count = 0; count < 5; count += 1)
  await read(decodePage(Buffer.from("<p>text</p>".repeat(1_000)), "text/html"));
const before = used();
let most = before;
function* measured(): Generator<string> {
  let pieces = 0;
  for (const piece of decodePage(body, "text/html")) {
    yield piece;
    pieces += 1;
    if (pieces % piecesBetween === 0) most = Math.max(most, used());
  }
}
await read(measured());
console.log(Math.max(most, used()) - before);
process.exit(0);
