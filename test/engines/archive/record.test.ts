import { expect, test } from "bun:test";
import { readRecords, recordHeader } from "../../../src/engines/archive/files/record.ts";

test("A damaged file full of marks takes as few reads as any other, and the record after them is found", async () => {
  const marks = Buffer.alloc(1 << 20, "\x89PWNAME\n", "latin1");
  const names = Buffer.from("example.com\n");
  const group = { kind: "raw", day: 0, source: "feed" } as const;
  const header = recordHeader(group, names, { namesBytes: names.length, count: 0 });
  const content = Buffer.concat([marks, header, names]);
  let reads = 0;
  const read = (buffer: Uint8Array, offset: number, length: number, position: number) => {
    reads++;
    const bytesRead = content.copy(buffer, offset, position, position + length);
    return Promise.resolve({ bytesRead, buffer });
  };
  let damaged = 0;
  const found: string[] = [];
  const records = readRecords({ read } as Parameters<typeof readRecords>[0], {
    onDamage: (bytes) => void (damaged += bytes),
  });
  for await (const { stored } of records) found.push(Buffer.from(stored).toString());
  expect(found).toEqual(["example.com\n"]);
  expect(damaged).toBe(marks.length);
  expect(reads).toBeLessThan(20);
});
