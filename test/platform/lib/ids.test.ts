import { expect, test } from "bun:test";
import { createIdFactory, isId } from "../../../src/platform/lib/ids.ts";

const fillRandom = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>);

test("an identifier is the TypeID of a UUIDv7, as in the specification's test vector", () => {
  // From valid.yml of the TypeID specification.
  const uuid = Uint8Array.fromHex("01890a5dac96774bbcceb302099a8057");
  const factory = createIdFactory(
    () => 0x01890a5dac96,
    (bytes) => void bytes.set(uuid.subarray(0, bytes.length)),
  );
  expect(factory.next("threat")).toBe("thr_01h455vb4pex5vsknk084sn02q");
});

test("identifiers of a kind increase within a millisecond and when the clock is set back", () => {
  let now = 1_800_000_000_000;
  const factory = createIdFactory(() => now, fillRandom);
  let previous = "";
  for (let round = 0; round < 2_000; round += 1) {
    if (round === 1_000) now -= 3_600_000;
    const id = factory.next("event");
    expect(id > previous).toBe(true);
    expect(isId("event", id)).toBe(true);
    previous = id;
  }
});

test("an identifier is greater than one from another process, even one from the future", () => {
  const ahead = createIdFactory(() => 1_900_000_000_000, fillRandom).next("threat");
  const id = createIdFactory(() => 1_800_000_000_000, fillRandom).next("threat", ahead);
  expect(id > ahead).toBe(true);
  expect(isId("threat", id)).toBe(true);
});

test("an overflow of the random part carries into the time and keeps version and variant", () => {
  const full = (bytes: Uint8Array) => void bytes.fill(0xff);
  const factory = createIdFactory(() => 1_800_000_000_000, full);
  const [first, second] = [factory.next("scan"), factory.next("scan")];
  expect(second > first).toBe(true);
  expect(isId("scan", second)).toBe(true);
});

test.each([
  ["thr_01h455vb4pex5vsknk084sn02q", true],
  ["evt_01h455vb4pex5vsknk084sn02q", false],
  ["thr_01H455VB4PEX5VSKNK084SN02Q", false],
  ["thr_81h455vb4pex5vsknk084sn02q", false],
  ["thr_01h455vb4pex5vsknk084sn02", false],
  ["thr_01h455vb4pex5vsknk084sn02ql", false],
  ["thr_01h455vb4pex5vsknk084sn02l", false],
  ["thr_", false],
  ["", false],
  ["thr_01h455vb4pex5vsknk084sn02q\n", false],
])("%p is a threat's identifier: %p", (text, expected) => {
  expect(isId("threat", text)).toBe(expected);
});
