import { expect, test } from "bun:test";
import { createNameHash } from "../../../../src/intake/sources/name-file-versions/name-hash.ts";

const count = (length: number) => Uint8Array.from({ length }, (_, index) => index);

/** Results of the reference implementation for the key 00 01 … 07 and the inputs "", 00, 00 01, …. */
const reference = [
  "218d1f59b9b83cc8",
  "be552412f8387315",
  "064f39ef7c50eb57",
  "ce0f1a45f7060679",
  "d5e78a175be52ea1",
  "cb9d7c3f2f3db580",
];

test.each(reference.map((hex, length) => [length, hex] as const))(
  "the hash of %i bytes is HalfSipHash-2-4 without its two highest bits",
  (length, hex) => {
    const hash = createNameHash(count(8));
    const bytes = new Uint8Array(Float64Array.of(hash(count(length), 0, length)).buffer);
    const expected = Buffer.from(hex, "hex");
    expected[7]! &= 0x3f;
    expect(Buffer.from(bytes).toString("hex")).toBe(expected.toString("hex"));
  },
);

test("two keys give different hashes", () => {
  const name = Buffer.from("example-bank.net");
  const hashes = [count(8), count(8).reverse()].map((key) => createNameHash(key)(name, 0, name.length));
  expect(hashes[0]).not.toBe(hashes[1]!);
});
