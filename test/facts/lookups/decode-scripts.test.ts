import { describe, expect, test } from "bun:test";
import { readPage } from "../../../src/facts/lookups/page/page-content.ts";
import { createTurns } from "../../../src/platform/network/turns.ts";

const turns = createTurns();
const page = `<!doctype html><html lang=de><title>Example Bank</title><body><h1>Anmelden</h1>
<form action="/senden.php" method="post"><label>Nutzername <input name=user></label><input type=password></form></body></html>`;

const quoted = (text: string) => JSON.stringify(text);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const reversed = (text: string) => text.split("").reverse().join("");
const mapped = (text: string, map: (code: number, index: number) => number) =>
  String.fromCharCode(...Array.from(text, (character, index) => map(character.charCodeAt(0), index)));
const codes = (text: string) => Array.from(text, (character) => character.charCodeAt(0));
const parts = page.match(/[^]{1,30}/g)!;
const escaped = (text: string, escape: (code: number) => string) => `"${codes(text).map(escape).join("")}"`;
const hex = (code: number, length: number) => code.toString(16).padStart(length, "0");

/** Scripts as phishing kits write them. */
const scripts: Record<string, string> = {
  "percent-encoding": `document.write(unescape("${encodeURIComponent(page)}"))`,
  base64: `document.write(atob("${base64(page)}"))`,
  "base64 within base64": `eval(atob("${base64(`document.write(atob("${base64(page)}"))`)}"))`,
  "hexadecimal escapes": `document.write(${escaped(page, (code) => `\\x${hex(code, 2)}`)})`,
  "Unicode escapes": `document.write(${escaped(page, (code) => `\\u${hex(code, 4)}`)})`,
  "hexadecimal digits": `write("${Buffer.from(page).toString("hex")}")`,
  "character codes": `document.write(String.fromCharCode(${codes(page).join(",")}))`,
  "character codes with XOR": `var a = [${codes(page)
    .map((code) => code ^ 42)
    .join(", ")}]; a.map((c) => String.fromCharCode(c ^ 42))`,
  "reversed text": `document.write(${quoted(reversed(page))}.split("").reverse().join(""))`,
  "reversed base64": `document.write(atob("${reversed(base64(page))}".split("").reverse().join("")))`,
  "XOR with a number": `var s = ${quoted(mapped(page, (code) => code ^ 7))}`,
  "XOR with a key": `var k = "key", s = atob("${base64(
    mapped(page, (code, index) => code ^ "key".charCodeAt(index % 3)),
  )}")`,
  "shifted codes": `var s = ${quoted(mapped(page, (code) => code + 3))}`,
  "joined strings": `var s = ${parts.map(quoted).join(" + ")}; document.write(s)`,
  "a joined array": `document.write([${parts.map(quoted).join(",\n")}].join(""))`,
  "a script within percent-encoding": `eval(unescape("${encodeURIComponent(`document.write(${quoted(page)})`)}"))`,
};

describe("markup that scripts decode", () => {
  for (const [coding, script] of Object.entries(scripts))
    test(`${coding}: the page is read as if it were sent`, async () => {
      const content = await readPage([`<script>${script}</script>`], turns);
      expect(content).toMatchObject({
        isDecoded: true,
        title: "Example Bank",
        headings: ["Anmelden"],
        forms: [{ action: "/senden.php", method: "post" }],
      });
      expect(content.fields.map(({ type }) => type)).toEqual(["text", "password"]);
    });

  test("is ignored in plain strings of a page that shows something itself", async () => {
    const shown = `<p>${"Words of a page. ".repeat(30)}</p><script>var row = ${quoted(page)};</script>`;
    expect(await readPage([shown], turns)).toMatchObject({ isDecoded: false, title: "", fields: [] });
  });

  test("is never executed, and text that only looks encoded adds nothing", async () => {
    const harmless = [
      `document.write(atob("${base64("just a sentence that is not markup at all")}"))`,
      `var digits = "${"0123456789abcdef".repeat(8)}"`,
      `document.write("<" + "p>" + location.href)`,
      `throw new Error("${"%zz".repeat(30)}")`,
    ];
    for (const script of harmless)
      expect((await readPage([`<script>${script}</script>`], turns)).isDecoded).toBe(false);
  });

  test("is read like the visible text around scripts and styles, whose own text is not visible", async () => {
    const content = await readPage(
      [
        "<title>Title</title><script src=a.js></script><p>one</p><style>b{}</style><script>c</script><b>two</b>",
      ],
      turns,
    );
    expect(content.text.slice(0, content.visibleLength)).toBe("one two");
  });

  test("has limits: a script that decodes to itself without end is left after a few rounds", async () => {
    let nested = page;
    for (let level = 0; level < 12; level += 1)
      nested = `<script>document.write(atob("${base64(nested)}"))</script>`;
    const content = await readPage([nested], turns);
    expect(content.fields).toEqual([]);
  });

  test("may be in scripts whose strings and comments are not closed", async () => {
    for (const start of [
      "/* ",
      "'",
      "`${",
      "// x",
      "\\",
      '"\\x',
      '"\\u{',
      "[".repeat(20_000),
      "'+".repeat(20_000),
    ])
      await readPage([`<script>${start}${"a'\"`\\".repeat(5_000)}</script>`], turns);
  });
});
