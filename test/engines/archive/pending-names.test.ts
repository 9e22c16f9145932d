import { expect, test } from "bun:test";
import { createPendingNames } from "../../../src/engines/archive/storing/pending-names.ts";

/** Size of a chunk. */
const chunkBytes = 1 << 18;
const origin = { source: "feed", seenAt: 0 } as const;

test.each([0, 1, 2, 3, 4])(
  "Names are kept when those before them left %i bytes of a chunk free, and when those had no line feed at their end",
  (free) => {
    for (const end of ["\n", "x"]) {
      const passedOn: string[] = [];
      const pending = createPendingNames(({ names }) => void passedOn.push(new TextDecoder().decode(names)));
      const add = (text: string) => pending.add(new TextEncoder().encode(text), origin);
      const filling = "filling.org\n".repeat(chunkBytes / 12);
      const before = `${filling.slice(0, chunkBytes - free - 20)}${"y".repeat(19)}${end}`;
      add(before);
      add("later.org\n".repeat(50_000));
      pending.release();
      const text = passedOn.join("");
      expect(text.split("\n").filter((line) => line === "later.org")).toHaveLength(50_000);
      expect(text).toStartWith(`${before}${end === "\n" ? "" : "\n"}`);
    }
  },
);
