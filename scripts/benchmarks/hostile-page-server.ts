import { createServer, type Socket } from "node:net";
import { brotliCompressSync, crc32, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";

/** Serves hostile pages in a process of its own: `/NAME` is the page of each class. Prints its port. */

const head = (headers: string[], status = "200 OK") => {
  const isTyped = headers.some((line) => line.startsWith("Content-Type:"));
  const all = [...(isTyped ? [] : ["Content-Type: text/html"]), ...headers];
  return `HTTP/1.1 ${status}\r\n${all.join("\r\n")}\r\n\r\n`;
};
const closing = ["Connection: close"];
const mebibyte = 2 ** 20;

/** A PNG that claims and holds `side` × `side` black pixels in a few kilobytes. */
function blackPng(side: number): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), content]);
    const framed = Buffer.alloc(body.length + 8);
    framed.writeUInt32BE(content.length, 0);
    body.copy(framed, 4);
    framed.writeUInt32BE(crc32(body), body.length + 4);
    return framed;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(side * (side + 1)))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const zeros = Buffer.alloc(256 * mebibyte, "<p>");
const pages: Record<string, () => { headers?: string[]; body: Buffer | string }> = {
  plain: () => ({ body: "<title>Garden</title><p>Roses and trees.</p>".repeat(100) }),
  "nested-elements": () => ({ body: "<div>".repeat(200_000) }),
  "million-attributes": () => ({ body: `<div ${"a=1 ".repeat(250_000)}>` }),
  "thousand-forms": () => ({
    body: "<form action=/x><input type=password name=p><button>Go</button></form>".repeat(13_000),
  }),
  "many-classes": () => ({ body: `<p class="${"abcdefg ".repeat(20)}">`.repeat(6_000) }),
  "many-links": () => ({ body: '<a href="https://example-bank.com/x">Example Bank</a>'.repeat(20_000) }),
  "gzip-bomb": () => ({ headers: ["Content-Encoding: gzip"], body: gzipSync(zeros) }),
  "brotli-bomb": () => ({ headers: ["Content-Encoding: br"], body: brotliCompressSync(zeros) }),
  "zstd-bomb": () => ({ headers: ["Content-Encoding: zstd"], body: zstdCompressSync(zeros) }),
  "script-quotes": () => ({ body: `<script>${"'\"`\\".repeat(50_000)}</script>` }),
  "script-comments": () => ({ body: `<script>${"/*'+".repeat(50_000)}</script>` }),
  "script-templates": () => ({ body: `<script>${"`${".repeat(60_000)}</script>` }),
  "script-strings": () => ({ body: `<script>${'"%3Cabcdefghijklmnopqrstuvwxyz<",'.repeat(6_000)}</script>` }),
  "script-base64": () => ({
    body: `<script>atob("${Buffer.alloc(150_000, 7).toString("base64")}")</script>`,
  }),
  "script-numbers": () => ({ body: `<script>[${"60,".repeat(66_000)}]</script>` }),
  "script-locations": () => ({ body: `<script>${"location=".repeat(22_000)}</script>` }),
  "svg-elements": () => ({ body: "<svg><path d='M1 1'>".repeat(6_000) }),
  "style-urls": () => ({ body: '<p style="background:url(x">'.repeat(6_000) }),
  "refresh-loop": () => ({ body: '<meta http-equiv=refresh content="0;url=?next">' }),
  "data-urls": () => ({
    body: `<img src="data:image/png;base64,${blackPng(3_000).toString("base64")}">`.repeat(20),
  }),
  "png-bomb": () => ({ body: '<link rel=icon href="/bomb.png"><img class=logo src="/bomb.png">' }),
  "character-references": () => ({ body: "&amp;&#60;&nbsp;&#x1F600;".repeat(40_000) }),
  "combining-marks": () => ({ body: "a\u0301\u0302\u0303".repeat(120_000) }),
  "arabic-ligatures": () => ({ body: "\ufdfa".repeat(300_000) }),
  "json-ld": () => ({
    body: `<script type="application/ld+json">${'{"a":['.repeat(80_000)}</script>`,
  }),
  srcset: () => ({ body: `<img class=logo srcset="${"/a.png 1x, ".repeat(80_000)}">` }),
  "nested-links": () => ({ body: "<a href=x><b><i>".repeat(40_000) }),
  "nested-templates": () => ({ body: "<template>".repeat(80_000) }),
  "many-metas": () => ({ body: '<meta property="og:site_name" content="Example Bank">'.repeat(18_000) }),
  "many-hosts": () => ({
    body: Array.from({ length: 20_000 }, (_, index) => `<a href="//host${index}.example/">x</a>`).join(""),
  }),
  "css-selectors": () => ({ body: `<style>${"a:not(".repeat(150_000)}</style>` }),
  "script-joined": () => ({ body: `<script>x=${"'a'+".repeat(200_000)}'b'</script>` }),
  "script-calls": () => ({ body: `<script>${"eval(".repeat(150_000)}</script>` }),
  "utf-16": () => ({ body: Buffer.from(`\ufeff${"<p>Example Bank</p>".repeat(20_000)}`, "utf16le") }),
  "iso-2022": () => ({
    headers: ["Content-Type: text/html; charset=iso-2022-jp"],
    body: '\u001b$B$"\u001b(J<p>'.repeat(90_000),
  }),
  cookies: () => ({
    headers: Array.from({ length: 1_000 }, (_, index) => `Set-Cookie: c${index}=1`),
    body: "x",
  }),
  "header-lines": () => ({ headers: ["a: b\r\n".repeat(40_000).trimEnd()], body: "x" }),
  "nested-bombs": () => ({
    headers: ["Content-Encoding: gzip, gzip, gzip"],
    body: gzipSync(gzipSync(gzipSync(zeros))),
  }),
  "wrong-length": () => ({ headers: ["Content-Length: -1"], body: "<p>x</p>".repeat(100_000) }),
};
const bomb = blackPng(14_000);

function drip(socket: Socket, piece: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.on("close", () => clearInterval(timer));
}

/** Writes as much as the client reads. */
function flood(socket: Socket, piece: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on("drain", more);
  more();
}

const streams: Record<string, (socket: Socket) => void> = {
  "slow-drip"(socket) {
    socket.write(head(closing));
    drip(socket, "<p>x", 20);
  },
  "one-byte-chunks"(socket) {
    socket.write(head(["Transfer-Encoding: chunked"]));
    flood(socket, Buffer.from("1\r\nx\r\n".repeat(20_000)));
  },
  "chunk-extensions"(socket) {
    socket.write(head(["Transfer-Encoding: chunked"]));
    flood(socket, Buffer.from(`1;${"e".repeat(900)}\r\nx\r\n`.repeat(100)));
  },
  "endless-trailers"(socket) {
    socket.write(`${head(["Transfer-Encoding: chunked"])}0\r\n`);
    flood(socket, Buffer.from("a: b\r\n".repeat(10_000)));
  },
  "endless-headers"(socket) {
    socket.write("HTTP/1.1 200 OK\r\n");
    flood(socket, Buffer.from("a: b\r\n".repeat(10_000)));
  },
  "endless-body"(socket) {
    socket.write(head(closing));
    flood(socket, Buffer.from("<p>text of a page that never ends</p>".repeat(2_000)));
  },
  "never-ends"(socket) {
    socket.write(`${head(["Content-Length: 999999"])}${"<p>text</p>".repeat(20_000)}`);
  },
  "redirect-loop": (socket) =>
    socket.end(head([`Location: /redirect-loop?${Math.random()}`, ...closing], "302 Found")),
};

export const hostileClasses = [...Object.keys(pages), ...Object.keys(streams)];

if (import.meta.main) {
  const bodies = new Map<string, { headers: string[]; body: Buffer }>();
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", (data) => {
      const name = /^GET \/([a-z0-9.-]*)/.exec(data.toString("latin1"))?.[1] ?? "";
      const stream = streams[name];
      if (stream !== undefined) return stream(socket);
      if (name === "bomb.png")
        return socket.end(
          Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${bomb.length}\r\n\r\n`), bomb]),
        );
      const made = pages[name];
      if (made === undefined) return socket.end(head(["Content-Length: 0"], "404 Not Found"));
      const known = bodies.get(name);
      const { headers = [], body } = known ?? made();
      const bytes = Buffer.from(body);
      bodies.set(name, { headers, body: bytes });
      socket.end(Buffer.concat([Buffer.from(head([...headers, `Content-Length: ${bytes.length}`])), bytes]));
    });
  });
  server.listen(0, "127.0.0.1", () => console.log((server.address() as { port: number }).port));
}
