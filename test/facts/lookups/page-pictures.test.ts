import { expect, test } from "bun:test";
import { readPage } from "../../../src/facts/lookups/page/page-content.ts";
import { readPictures } from "../../../src/facts/lookups/page/page-pictures.ts";
import type { PageRequest } from "../../../src/facts/lookups/visits/page-request.ts";
import { createTurns } from "../../../src/platform/network/turns.ts";
import { bitmap } from "../../support/pictures.ts";

const base = "https://page.example/login/";
const square = bitmap(32, 32, (x, y) => (x < 12 ? 30 : y < 20 ? 220 : 120));
const png = await new Bun.Image(square).png().bytes();

/** Reads the pictures of a page whose site has the given files. */
async function picturesOf(html: string, files: Record<string, Uint8Array | string> = {}) {
  const requested: string[] = [];
  const get: PageRequest = async (url) => {
    requested.push(url);
    const body = files[new URL(url).pathname];
    return {
      url,
      status: body === undefined ? 404 : 200,
      location: undefined,
      contentType: undefined,
      body: typeof body === "string" ? Buffer.from(body) : (body ?? new Uint8Array(0)),
      cut: false,
      problem: undefined,
      refresh: undefined,
      certificate: undefined,
      setsCookies: false,
      start: () => "",
    };
  };
  return { ...(await readPictures(await readPage([html], createTurns()), { base, get })), requested };
}

/** An icon file with one image. */
function iconFile(image: Uint8Array): Uint8Array {
  const file = Buffer.alloc(22 + image.length);
  file.writeUInt16LE(1, 2);
  file.writeUInt16LE(1, 4);
  file.set([32, 32], 6);
  file.writeUInt32LE(image.length, 14);
  file.writeUInt32LE(22, 18);
  file.set(image, 22);
  return file;
}

test("an icon looks the same as a PNG, in an icon file, and in a data: URL", async () => {
  const plain = await picturesOf("<link rel=icon href=/icon.png>", { "/icon.png": png });
  const [{ hash } = { hash: undefined }] = plain.pictures;
  expect(hash).toMatch(/^[0-9a-f]{16}$/);
  const inFile = await picturesOf("", { "/favicon.ico": iconFile(png) });
  // The height of a bitmap in an icon file includes its mask.
  const doubled = Buffer.from(square.slice(14));
  doubled.writeInt32LE(64, 8);
  const asBitmap = await picturesOf("", { "/favicon.ico": iconFile(doubled) });
  const url = `data:image/png;base64,${Buffer.from(png).toString("base64")}`;
  const embedded = await picturesOf(`<link rel=icon href="${url}">`);
  for (const { pictures } of [inFile, asBitmap, embedded])
    expect(pictures[0]).toMatchObject({ role: "icon", hash });
  expect(embedded.requested).toEqual([]);
  expect(embedded.pictures[0]!.url).toBeNull();
});

test("an SVG is the same as a file and within the page, however it is spaced", async () => {
  const file = (
    await picturesOf('<img class=logo src="/logo.svg">', {
      "/logo.svg": '<svg id="a"><path d="M1 2 L3 4"/></svg>',
    })
  ).pictures.find(({ role }) => role === "logo");
  const [inline] = (await picturesOf('<svg class="logo"><!-- x --><path\n d="M1 2  L3 4"></path></svg>'))
    .pictures;
  expect(inline!.sha256).toBe(file!.sha256);
});

test("at most a few of a thousand pictures are requested, and none that is not on the web", async () => {
  const many = Array.from(
    { length: 1_000 },
    (_, index) =>
      `<img class=logo src="/logo${index}.png"><img src="/p${index}.png"><link rel=icon href="/i${index}.ico">`,
  );
  const { requested } = await picturesOf(`<img class=logo src="file:///etc/passwd">${many.join("")}`);
  expect(requested.length).toBe(7);
  expect(requested.every((url) => url.startsWith("https://page.example/"))).toBe(true);
});

test("a picture that claims more pixels than any logo has no perceptual hash", async () => {
  const huge = Buffer.from(png);
  huge.writeUInt32BE(14_000, 16);
  huge.writeUInt32BE(14_000, 20);
  const { pictures } = await picturesOf("<link rel=icon href=/icon.png>", { "/icon.png": huge });
  expect(pictures).toEqual([
    { role: "icon", url: "https://page.example/icon.png", sha256: expect.any(String) },
  ]);
});

test("damaged icon files and manifests add nothing", async () => {
  for (const icon of [iconFile(new Uint8Array(60)), iconFile(png).subarray(0, 40), new Uint8Array(3)])
    expect((await picturesOf("", { "/favicon.ico": icon })).pictures[0]).not.toHaveProperty("hash");
  for (const manifest of [
    "{",
    "null",
    "[]",
    '{"name":5,"icons":{"src":1}}',
    '{"icons":[null,{"src":"//["}]}',
  ])
    expect((await picturesOf("<link rel=manifest href=/m.json>", { "/m.json": manifest })).pictures).toEqual(
      [],
    );
});
