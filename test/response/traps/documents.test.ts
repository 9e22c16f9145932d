import { describe, expect, test } from "bun:test";
import { unzipSync, strFromU8 } from "fflate";
import { writeDocument } from "../../../src/response/traps/kinds/honeytoken/documents.ts";
import { temporaryFolder } from "../../support/appliance.ts";

const url = "https://traps.example-bank.com/t/abcdefghijklmnopqrstuvwxyz";
const text = { title: "Salaries <2026> (draft)", text: "Müller & sons\nback\\slash \u202e\u0007 end" };

describe("a Word document", () => {
  const bytes = writeDocument("docx", url, text);
  const parts = Object.fromEntries(
    Object.entries(unzipSync(bytes)).map(([path, part]) => [path, strFromU8(part)]),
  );

  test("has the same bytes for the same text", () => {
    expect(writeDocument("docx", url, text)).toEqual(bytes);
  });

  test("consists of well-formed parts and links the external address", async () => {
    expect(Object.keys(parts)).toEqual([
      "[Content_Types].xml",
      "_rels/.rels",
      "word/document.xml",
      "word/_rels/document.xml.rels",
    ]);
    for (const [path, part] of Object.entries(parts))
      expect([path, errorIn(part)]).toEqual([path, undefined]);
    expect(parts["word/_rels/document.xml.rels"]).toContain(
      `Target="${url}/image1.png" TargetMode="External"`,
    );
    expect(parts["word/document.xml"]).toContain(`r:link="rId1"`);
    expect(parts["word/document.xml"]).toContain("Salaries &lt;2026&gt; (draft)");
    expect(parts["word/document.xml"]).toContain("Müller &amp; sons");
    expect(parts["word/document.xml"]).not.toContain("\u0007");
  });
});

test.skipIf(Bun.which("soffice") === null)(
  "LibreOffice opens the Word document, shows its text, and requests the address",
  async () => {
    const folder = temporaryFolder();
    const requests: string[] = [];
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        requests.push(`${request.method} ${new URL(request.url).pathname}`);
        return new Response(null, { status: 404 });
      },
    });
    const bait = writeDocument("docx", `http://127.0.0.1:${server.port}/t/bait`, text);
    await Bun.write(`${folder.path}/bait.docx`, bait);
    const office = Bun.spawn(
      [
        "soffice",
        "--headless",
        `-env:UserInstallation=file://${folder.path}/profile`,
        "--convert-to",
        "txt:Text (encoded):UTF8",
        "--outdir",
        folder.path,
        `${folder.path}/bait.docx`,
      ],
      { stdin: "ignore", stdout: "ignore", stderr: "ignore", timeout: 50_000 },
    );
    await office.exited;
    await server.stop(true);
    expect(await Bun.file(`${folder.path}/bait.txt`).text()).toContain("Müller & sons");
    expect(requests).toContain("GET /t/bait/image1.png");
    folder.dispose();
  },
  60_000,
);

describe("a PDF", () => {
  const bytes = writeDocument("pdf", url, text);
  const file = Buffer.from(bytes).toString("latin1");

  test("has the same bytes for the same text", () => {
    expect(writeDocument("pdf", url, text)).toEqual(bytes);
  });

  test("has every object at the offset in its table, and opens the address on opening and on a click", () => {
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)![1]);
    expect(file.slice(start, start + 4)).toBe("xref");
    const rows = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset));
    expect(rows.length).toBe(9);
    for (const [index, offset] of rows.entries())
      expect(file.slice(offset)).toStartWith(`${index + 1} 0 obj\n`);
    const stream = /\/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/.exec(file)!;
    expect(stream[2]!.length).toBe(Number(stream[1]));
    expect(file).toContain(`/OpenAction 6 0 R`);
    expect(file).toContain(`/S /URI /URI (${url}/view)`);
    expect(file).toContain(String.raw`(Salaries <2026> \(draft\))`);
    expect(file).toContain(String.raw`back\\slash`);
  });

  test("cuts long text to one page", () => {
    const long = writeDocument("pdf", url, { title: "x".repeat(500), text: "word ".repeat(20_000) });
    expect(long.length).toBeLessThan(10_000);
  });

  test.skipIf(Bun.which("qpdf") === null)("passes the check of qpdf", async () => {
    const folder = temporaryFolder();
    await Bun.write(`${folder.path}/bait.pdf`, bytes);
    const checked = Bun.spawnSync(["qpdf", "--check", `${folder.path}/bait.pdf`]);
    expect(checked.stderr.toString() + (checked.exitCode === 0 ? "" : checked.stdout.toString())).toBe("");
    folder.dispose();
  });

  test.skipIf(Bun.which("pdftotext") === null)("shows its text in pdftotext", async () => {
    const folder = temporaryFolder();
    await Bun.write(`${folder.path}/bait.pdf`, bytes);
    const { stdout } = Bun.spawnSync(["pdftotext", "-layout", `${folder.path}/bait.pdf`, "-"]);
    expect(stdout.toString()).toContain("Salaries <2026> (draft)");
    expect(stdout.toString()).toContain("Müller & sons");
    folder.dispose();
  });
});

/** Returns why XML without comments, sections, and custom entities is not well-formed; undefined if it is. */
function errorIn(xml: string): string | undefined {
  const open: string[] = [];
  const body = xml.replace(/^<\?xml [^?]*\?>\s*/, "");
  const piece =
    /<(\/?)([\w:]+)((?:\s+[\w:]+="(?:[^"<&]|&(?:amp|lt|gt|quot);)*")*)\s*(\/?)>|((?:[^<&]|&(?:amp|lt|gt|quot);)+)/y;
  while (piece.lastIndex < body.length) {
    const at = piece.lastIndex;
    const match = piece.exec(body);
    if (match === null) return `at ${at}: ${body.slice(at, at + 40)}`;
    const [, closes, name, , alone, content] = match;
    if (content !== undefined) {
      if (open.length === 0 && content.trim() !== "") return `text outside: ${content}`;
    } else if (closes === "/") {
      if (open.pop() !== name) return `</${name}> has no opening tag`;
    } else if (alone !== "/") open.push(name!);
  }
  return open.length === 0 ? undefined : `not closed: ${open.join(" ")}`;
}
