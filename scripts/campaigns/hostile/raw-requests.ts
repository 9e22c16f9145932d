import type { Random } from "../../benchmarks/random.ts";

const paths = [
  "/healthz",
  "/v1/threats",
  "/v1/threats?page=0x10&per_page=1e3",
  "/v1/candidates",
  "/v1/threats/batch",
  "/console",
  "/console/sign-in",
  "/metrics",
  "/docs",
  "/b/x.gif",
  "/t/..\\metrics",
  "/t/%2e%2e/metrics",
  "//",
  "*",
  "http://other.example/",
  "/\u0000",
];
const methods = ["GET", "POST", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", ""];
const hosts = [
  "localhost",
  "127.0.0.1",
  "1.2.3.4.5",
  "999999999999",
  "a:99999",
  "xn--",
  "",
  "[::1",
  "a b",
  "x".repeat(300),
];
const lengths = [0, 10, 300, 9_000, 60_000];

/** Returns the head of a request, and perhaps a body, that is malformed, ambiguous or long. */
export function hostileRequest(random: Random, apiKey: string): Buffer {
  const text = (length: number) => random.text("ab:;,=/ \t%\u00e9\u0000", length);
  const lines = Array.from({ length: random.pick([0, 1, 5, 120]) }, () => {
    const name = random.pick([
      "X-A",
      "Cookie",
      "Authorization",
      "X-Forwarded-For",
      "Content-Length",
      "Range",
      "Host",
    ]);
    const value = random.pick([text(random.pick(lengths)), "0", "-1", "9".repeat(20), `Bearer ${apiKey}`]);
    return `${name}: ${value}`;
  });
  const framing = random.pick([
    [],
    ["Transfer-Encoding: chunked"],
    ["Transfer-Encoding: chunked", "Content-Length: 3"],
    ["Content-Length: 3"],
    ["Content-Length: 999999999"],
    ["Expect: 100-continue", "Content-Length: 3"],
    ["Content-Encoding: gzip", "Content-Length: 3"],
  ]);
  const query = random.below(4) === 0 ? `?${text(random.pick(lengths))}` : "";
  const head = [
    `${random.pick(methods)} ${random.pick(paths)}${query} ${random.pick(["HTTP/1.1", "HTTP/1.0", "HTTP/9", ""])}`,
    `Host: ${random.pick(hosts)}`,
    "Content-Type: application/json",
    ...framing,
    ...lines,
  ].join(random.pick(["\r\n", "\r\n", "\r\n", "\n"]));
  const body = random.pick(["", "abc", "3\r\nabc\r\n0\r\n\r\n", "fffffffff\r\n", "{".repeat(2_000)]);
  const request = Buffer.from(`${head}\r\n\r\n${body}`, "latin1");
  if (random.below(4) === 0) request[random.below(request.length)] = random.below(256);
  return request.subarray(0, random.below(8) === 0 ? random.below(request.length) : request.length);
}

const bodyBytes = 9_900_000;
const fill = (text: string, bytes = bodyBytes) => text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes);

/** Bodies of nearly the largest size that are useless, each with its content type. */
export const largeBodies: Record<string, { type: string; text: () => string }> = {
  "nested arrays": { type: "application/json", text: () => fill("[") },
  "many keys": {
    type: "application/json",
    text: () => `{${Array.from({ length: 600_000 }, (_, index) => `"k${index}":1`).join(",")}}`,
  },
  "many objects": { type: "application/json", text: () => `{"domains":[${fill("{},")}{}]}` },
  "many names": { type: "application/json", text: () => `{"domains":[${fill('"a",')}"a"]}` },
  "one name": { type: "application/json", text: () => `{"domains":["${fill("a")}"]}` },
  "duplicate keys": { type: "application/json", text: () => `{${fill('"domains":["a.com"],')}"domains":[]}` },
  escapes: { type: "application/json", text: () => `{"domains":["${fill("\\u0061")}"]}` },
  "line breaks": { type: "text/plain", text: () => fill("\n") },
  "short lines": { type: "text/plain", text: () => fill("a\n") },
  "one line": { type: "text/plain", text: () => fill("a.") },
};
