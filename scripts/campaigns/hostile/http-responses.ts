import { brotliCompressSync, constants, deflateRawSync, gzipSync } from "node:zlib";
import type { Random } from "../../benchmarks/random.ts";

/** Bytes that a hostile server sends, and how. */
export interface Hostile {
  /** Kind of attack, for the report. */
  kind: string;
  bytes: Uint8Array;
  /** Sends this many bytes at a time; undefined: as fast as possible. */
  dripBytes?: number;
  /** Action after the last byte. */
  end: "close" | "reset" | "hang";
}

const mebibyte = 1 << 20;
const pageBytes = 1_100_000;
/** Larger than every limit, and small enough to be generated quickly. */
const bombBytes = 32 * mebibyte;

const fill = (text: string, bytes: number): Buffer =>
  Buffer.alloc(bytes, text.length === 0 ? " " : Buffer.from(text));

/** Pieces of markup and text that are expensive for some parser when they are repeated. */
export const repeatedMarkup: Record<string, string> = {
  "less-than signs": "<",
  "open elements": "<div>",
  "open letters": "<b>",
  fields: "<input name=a>",
  labels: "<label>x",
  "character references": "&amp;",
  "broken references": "&#",
  titles: "<title>",
  scripts: "<script>location='x'</script>",
  "script redirects": "location='/a';",
  words: "a ",
  spaces: " ",
  accents: "é ",
  ligatures: "ﷺ",
  marks: "\u0300",
  "camel case": "aB",
  images: "<img alt=b>",
  icons: "<link rel=icon href=a>",
  descriptions: `<meta name=description content="${"x ".repeat(900)}">`,
  frames: "<iframe src=//a.example/>",
  "script addresses": "<script src=/a></script>",
  "refresh elements": '<meta http-equiv=refresh content="0;url=/a">',
  base: "<base href=/>",
  templates: "<template>",
  "quoted attributes": `<input ${'a="b"'.repeat(40)}>`,
};

const prefixes: Record<string, string> = {
  "one tag": "<a ",
  "one attribute": "<a href='",
  "one comment": "<!--",
  "one script": "<script>",
  "one title": "<title>",
  "one label": "<label>",
};

/** Returns the body of a page that is made to be expensive. */
export function hostilePage(random: Random): { kind: string; body: Buffer } {
  const kinds = Object.keys(repeatedMarkup);
  const shape = random.below(4);
  if (shape === 0) {
    const prefix = random.pick(Object.keys(prefixes));
    const kind = random.pick(kinds);
    const body = Buffer.concat([Buffer.from(prefixes[prefix]!), fill(repeatedMarkup[kind]!, pageBytes)]);
    return { kind: `${prefix}, ${kind}`, body };
  }
  if (shape === 1) {
    const parts = Array.from({ length: 40 }, () =>
      fill(repeatedMarkup[random.pick(kinds)]!, random.below(60_000)),
    );
    return { kind: "mixed markup", body: Buffer.concat(parts) };
  }
  if (shape === 2) {
    const body = Buffer.alloc(random.below(pageBytes));
    random.fill(body);
    return { kind: "random bytes", body };
  }
  const kind = random.pick(kinds);
  return { kind, body: fill(repeatedMarkup[kind]!, pageBytes) };
}

const chunkShapes = [
  "1\r\nx\r\n",
  "1\r\n<\r\n",
  "0001\r\nx\r\n",
  `1;${"e".repeat(900)}\r\nx\r\n`,
  "40\r\n" + "x".repeat(64) + "\r\n",
];
const contentTypes = [
  "text/html",
  "text/html; charset=utf-16le",
  "text/html; charset=gb18030",
  "text/html; charset=windows-1252",
  "application/xhtml+xml; charset=nonsense",
];

/** Returns a whole response whose body is `body`, with framing, encoding and ending that the seed chooses. */
export function hostileResponse(
  random: Random,
  { kind, body, contentType }: { kind: string; body: Buffer; contentType?: string },
): Hostile {
  const status = random.pick([200, 200, 200, 200, 404, 500, 204, 302]);
  const type = contentType ?? random.pick(contentTypes);
  const head = (...lines: string[]) =>
    Buffer.from([`HTTP/1.1 ${status} X`, `Content-Type: ${type}`, ...lines, "", ""].join("\r\n"), "latin1");
  const ending = (): Hostile["end"] => random.pick(["close", "close", "close", "reset", "hang"]);
  const dripBytes = random.below(12) === 0 ? 1 + random.below(2_000) : undefined;
  const sent = (what: string, ...parts: Uint8Array[]): Hostile => ({
    kind: what,
    bytes: Buffer.concat(parts),
    end: ending(),
    ...(dripBytes === undefined ? {} : { dripBytes }),
  });
  switch (random.below(12)) {
    case 0: {
      const chunk = random.pick(chunkShapes);
      return sent(
        `chunks of ${chunk.length} bytes`,
        head("Transfer-Encoding: chunked"),
        fill(chunk, 3 * mebibyte),
      );
    }
    case 1:
      return sent(
        "endless trailers",
        head("Transfer-Encoding: chunked"),
        Buffer.from("0\r\n"),
        fill("a:b\r\n", mebibyte),
      );
    case 2: {
      const interim = `HTTP/1.1 103 Hints\r\n${"A: b\r\n".repeat(random.below(2_000))}\r\n`;
      return sent("interim responses", fill(interim, mebibyte), head());
    }
    case 3:
      return sent(
        "long headers",
        Buffer.from("HTTP/1.1 200 OK\r\n"),
        fill(`A: ${" ".repeat(500)}b\r\n`, mebibyte),
      );
    case 4:
      return sent(
        "gzip bomb",
        head("Content-Encoding: gzip"),
        gzipSync(fill("<b>a ", bombBytes), { level: 1 }),
      );
    case 5: {
      const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
      return sent(
        "brotli bomb",
        head("Content-Encoding: br"),
        brotliCompressSync(fill("<b>", bombBytes), { params }),
      );
    }
    case 6:
      return sent(`${kind}, deflated`, head("Content-Encoding: deflate"), deflateRawSync(body));
    case 7: {
      const bytes = Buffer.concat([head("Content-Encoding: gzip"), gzipSync(body)]);
      for (let changes = 1 + random.below(5); changes > 0; changes -= 1)
        bytes[random.below(bytes.length)] = random.below(256);
      return sent(`${kind}, broken gzip`, bytes);
    }
    case 8:
      return sent(
        `${kind}, redirected`,
        head(
          `Location: ${random.pick(["/a", "//b.example/", "http://x.test/".repeat(90)])}`,
          `Content-Length: ${body.length}`,
        ),
        body,
      );
    case 9:
      return sent(
        `${kind}, wrong length`,
        head(`Content-Length: ${body.length + random.below(9) - 4}`),
        body,
      );
    default:
      return sent(kind, head("Connection: close"), body);
  }
}
