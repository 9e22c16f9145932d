import { expect, test } from "bun:test";
import { createResponseReader, type Progress } from "../../../src/platform/network/http/http-response.ts";

/** Feeds an answer in pieces and closes; the outcome must not depend on where it was cut. */
function read(bytes: Uint8Array, cuts: readonly number[], asBrowser: boolean): unknown {
  const reader = createResponseReader({ asBrowser, bodyBytesMax: 64 });
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    if (to <= from) continue;
    const progress = reader.push(bytes.subarray(from, to));
    if (progress.kind !== "more") return outcome(progress);
    from = to;
  }
  return outcome(reader.close());
}

function outcome(progress: Progress): unknown {
  if (progress.kind !== "done") return progress;
  const { status, body, cut } = progress.response;
  return { status, body: Buffer.from(body).toString("latin1"), cut };
}

const samples = [
  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
  "HTTP/1.1 200 OK\r\n\r\nuntil the end",
  "HTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 202 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n",
  `HTTP/1.0 500 No\r\nConnection: keep-alive\r\nContent-Length: 100\r\n\r\n${"x".repeat(100)}`,
  "HTTP/1.1 200 OK\nContent-Length: 5\r\nnone\n\nhello",
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n${"y".repeat(100)}\r\n0\r\n\r\n`,
];

test("a response parses the same however it is split, even when its bytes are mutated", () => {
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed} (TEST_SEED)`);
  let state = seed;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  for (let round = 0; round < 20_000; round += 1) {
    const bytes = Buffer.from(samples[random(samples.length)]!, "latin1");
    for (let changes = random(4); changes > 0; changes -= 1) bytes[random(bytes.length)] = random(256);
    const cuts = Array.from({ length: random(6) }, () => random(bytes.length)).sort((a, b) => a - b);
    const asBrowser = random(2) === 1;
    const whole = read(bytes, [], asBrowser);
    expect({ cuts, found: read(bytes, cuts, asBrowser) }).toEqual({ cuts, found: whole });
  }
});

test("a connection is reusable only if nothing follows the response", () => {
  const reusable = (text: string) => {
    const progress = createResponseReader({ bodyBytesMax: 64 }).push(Buffer.from(text));
    return progress.kind === "done" && progress.response.reusable;
  };
  const head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n";
  expect(reusable(`${head}\r\nok`)).toBe(true);
  expect(reusable(`${head}Connection: close\r\n\r\nok`)).toBe(false);
  expect(reusable(`${head.replace("1.1", "1.0")}\r\nok`)).toBe(false);
  expect(reusable(`${head.replace("1.1", "1.0")}Connection: Keep-Alive\r\n\r\nok`)).toBe(true);
  expect(reusable(`${head}\r\nokHTTP/1.1 200 OK\r\n`)).toBe(false);
});
