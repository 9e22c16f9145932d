import { expect, test } from "bun:test";
import { createByteBuffer } from "../../../src/platform/network/byte-buffer.ts";

test("A byte buffer grows to its limit, and bytes that it returned before stay the same", () => {
  const buffer = createByteBuffer(5_000);
  const part = (byte: number) => new Uint8Array(1_500).fill(byte);
  expect(buffer.add(part(1))).toBeTrue();
  const before = buffer.bytes();
  expect(buffer.add(part(2))).toBeTrue();
  expect(buffer.add(part(3))).toBeTrue();
  expect(buffer.add(part(4))).toBeFalse();
  expect(before).toEqual(part(1));
  expect(buffer.bytes()).toEqual(
    Buffer.concat([part(1), part(2), part(3), part(4).subarray(0, 500)]) as Uint8Array,
  );
});
