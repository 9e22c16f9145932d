import { describe, expect, test } from "bun:test";
import { createResponseReader, type Progress } from "../../../src/platform/network/http/http-response.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { randomFrom } from "../../support/random.ts";

const kibibyte = 1_024;
const bodyBytesMax = 1_024 * kibibyte;
/** Longest accepted response: as much framing as content, and 64 KiB. */
const wireBytesMax = 2 * bodyBytesMax + 64 * kibibyte;
const pieceBytes = 64 * kibibyte;

const chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/** Returns bytes that count in `meter` each time that one of them is read. */
function metered(bytes: Uint8Array, meter: { reads: number }): Uint8Array {
  return new Proxy(bytes, {
    get(target, key) {
      if (typeof key === "string" && /^\d/.test(key)) {
        meter.reads += 1;
        return target[Number(key)];
      }
      if (key === "subarray")
        return (from?: number, to?: number) => metered(target.subarray(from, to), meter);
      if (key === "length") return target.length;
      throw new Error(`a reader must only index bytes, not use ${String(key)}`);
    },
  });
}

/** Sends `head` and then `repeated` without end, until the reader has an outcome or `bytesMax` were sent. */
function sendEndlessly({ head, repeated, bytesMax }: { head: string; repeated: string; bytesMax: number }) {
  const reader = createResponseReader({ bodyBytesMax });
  const piece = Buffer.from(repeated.repeat(Math.ceil(pieceBytes / repeated.length)));
  let progress = reader.push(Buffer.from(head));
  let sent = 0;
  for (; progress.kind === "more" && sent < bytesMax; sent += piece.length) progress = reader.push(piece);
  return { progress, sent };
}

const isCut = (progress: Progress) => progress.kind === "done" && progress.response.cut;

describe("a hostile response", () => {
  test.each([
    ["one-byte chunks", "1\r\nx\r\n", wireBytesMax],
    ["one-byte chunks with 900 bytes of extension each", `1;${"e".repeat(900)}\r\nx\r\n`, wireBytesMax],
    ["trailers without end", "a:b\r\n", 64 * kibibyte],
    ["one trailer without end", "a", 64 * kibibyte],
  ])("with %s is cut before it exceeds its budget", (what, repeated, budget) => {
    const head = what.includes("trailer") ? `${chunkedHead}0\r\n` : chunkedHead;
    const { progress, sent } = sendEndlessly({ head, repeated, bytesMax: 8 * wireBytesMax });
    expect(isCut(progress)).toBe(true);
    expect(sent).toBeLessThanOrEqual(budget + pieceBytes);
  });

  test("with an endless chunk extension is malformed, however it is split", () => {
    for (const split of [1, 7, 4_096]) {
      const reader = createResponseReader({ bodyBytesMax });
      reader.push(Buffer.from(`${chunkedHead}1`));
      const line = Buffer.from(`;${"e".repeat(5_000)}\r\n`);
      let progress: Progress = { kind: "more" };
      for (let from = 0; from < line.length && progress.kind === "more"; from += split)
        progress = reader.push(line.subarray(from, from + split));
      expect(progress).toEqual({ kind: "malformed", reason: "bad chunk size" });
    }
  });

  test("with long interim responses is malformed after 64 KiB of them", () => {
    const interim = `HTTP/1.1 103 Early Hints\r\nLink: ${"x".repeat(16_000)}\r\n\r\n`;
    const { progress, sent } = sendEndlessly({ head: interim, repeated: interim, bytesMax: 10 * pieceBytes });
    expect(progress).toEqual({ kind: "malformed", reason: "too many interim responses" });
    expect(sent).toBeLessThanOrEqual(2 * pieceBytes);
  });

  test("with thousands of inner spaces in its headers takes linear time to parse", () => {
    const spaced = (status: string, length: number) =>
      `HTTP/1.1 ${status}\r\nA: b${" ".repeat(length)}c\r\n\r\n`;
    const bytes = Buffer.from(spaced("103 Hints", 7_000).repeat(8) + spaced("200 OK", 16_000));
    // Quadratic time is over half a second.
    expect(cpuMs(() => createResponseReader({ bodyBytesMax }).push(bytes))).toBeLessThan(100);
  });

  test("in one-byte chunks is read with less than 0.1 µs of CPU time per byte", () => {
    const bytes = Buffer.from(chunkedHead + "1\r\nx\r\n".repeat(200_000));
    const spent = cpuMs(() => createResponseReader({ bodyBytesMax }).push(bytes));
    expect(spent / bytes.length).toBeLessThan(1e-4);
  });
});

describe("the response reader", () => {
  test("reads each byte at most twice and stays within its limits, whatever a server sends", () => {
    const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
    console.log(`seed ${seed} (TEST_SEED)`);
    const random = randomFrom(seed);
    const smallBodyMax = 2_048;
    const heads = 9 * 16 * kibibyte;
    for (let round = 0; round < 400; round += 1) {
      const bytes = hostileBytes(random);
      const meter = { reads: 0 };
      const reader = createResponseReader({ bodyBytesMax: smallBodyMax });
      const pieceMax = [1, 3, 50, 2_000, 200_000][random(5)]!;
      let sent = 0;
      let progress: Progress = { kind: "more" };
      while (progress.kind === "more" && sent < bytes.length) {
        const piece = bytes.subarray(sent, sent + 1 + random(pieceMax));
        sent += piece.length;
        progress = reader.push(metered(piece, meter));
      }
      const body = progress.kind === "done" ? progress.response.body : reader.partial()?.body;
      expect(meter.reads).toBeLessThanOrEqual(2 * sent);
      expect(body?.length ?? 0).toBeLessThanOrEqual(smallBodyMax);
      expect(body?.buffer.byteLength ?? 0).toBeLessThanOrEqual(smallBodyMax);
      expect(sent).toBeLessThanOrEqual(heads + 2 * smallBodyMax + 64 * kibibyte + pieceMax);
    }
  });

  test("spends less than 20 ms of CPU time on any piece that a socket delivers", () => {
    const socketReadBytes = 512 * kibibyte;
    const bodies = [
      "1\r\nx\r\n",
      `1;${"e".repeat(900)}\r\nx\r\n`,
      "40\r\n" + "x".repeat(64) + "\r\n",
      "0001\r\nx\r\n",
    ];
    for (const body of bodies) {
      const piece = Buffer.from(body.repeat(Math.ceil(socketReadBytes / body.length)));
      const work = () => {
        const reader = createResponseReader({ bodyBytesMax });
        reader.push(Buffer.from(chunkedHead));
        reader.push(piece);
      };
      // Compiles the reader first, as many responses do in a running process.
      for (let count = 0; count < 5; count += 1) work();
      expect(cpuMs(work)).toBeLessThan(20);
    }
  });
});

/** Returns a response that is mostly well-formed, with many small or long parts. */
function hostileBytes(random: (below: number) => number): Uint8Array {
  const pick = <T>(items: readonly T[]) => items[random(items.length)]!;
  const times = () => pick([0, 1, 3, 40, 3_000]);
  const text = (length: number) => pick(["x", " ", ":", "\r", "\t", "a:b"]).repeat(length);
  const head = (status: number) =>
    `HTTP/1.1 ${status} X\r\n${`${pick(["A", "Connection", "X-Y"])}: ${text(random(20))}\r\n`.repeat(times())}`;
  const interim = Array.from({ length: random(10) }, () => `${head(103)}\r\n`).join("");
  const size = pick([1, 1, 2, 16, 255, 4_000]);
  const extension = pick(["", "", ";a=b", `;${"e".repeat(random(1_100))}`]);
  const chunk = `${size.toString(16)}${extension}\r\n${text(size).slice(0, size)}\r\n`;
  const trailers = `${pick(["a:b", "", "T: x", "y".repeat(500)])}\r\n`.repeat(times());
  const framed = pick([
    () => `Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(times())}0\r\n${trailers}\r\n`,
    () => `Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(times())}0${extension}\r\n${trailers}`,
    () => `Content-Length: ${random(5_000)}\r\n\r\n${"b".repeat(random(6_000))}`,
    () => `\r\n${"b".repeat(random(6_000))}`,
  ])();
  const bytes = Buffer.from(pick(["", interim]) + head(200) + framed, "latin1");
  for (let changes = random(3); changes > 0; changes -= 1) bytes[random(bytes.length)] = random(256);
  return new Uint8Array(bytes);
}
