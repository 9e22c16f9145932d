import { expect, test } from "bun:test";
import { openNameList } from "../../../src/intake/sources/name-files/name-list.ts";

const unpackedBytes = 64 << 20;

test.each([
  ["that never ends", "a"],
  ["of blank lines", "\n"],
])(
  "reading a decompression bomb %s does not block other work",
  async (_, character) => {
    const packed = Bun.gzipSync(Buffer.alloc(unpackedBytes, character));
    expect(packed.length).toBeLessThan(unpackedBytes / 500);
    const list = await openNameList("bomb.gz", {
      format: "lines",
      column: "",
      stream: new Blob([packed]).stream(),
    });
    let turns = 0;
    let reading = true;
    const count = () => {
      turns += 1;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    for await (const chunk of list.chunks()) expect(chunk.count).toBeLessThan(2);
    reading = false;
    await list.close();
    expect(turns).toBeGreaterThan(30);
  },
  60_000,
);
