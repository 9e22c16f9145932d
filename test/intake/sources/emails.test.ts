/** Emails as input: their links and senders. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createYielder } from "../../../src/platform/lib/yielder.ts";
import { createCandidates, type Candidates } from "../../../src/intake/sources/candidates.ts";
import { itemOf } from "../../../src/intake/sources/emails/email-list.ts";
import { readMessage } from "../../../src/intake/sources/emails/read-message.ts";
import type { Place } from "../../../src/intake/sources/name-file-formats/name-chunk.ts";
import { openNameList, type NameListOptions } from "../../../src/intake/sources/name-files/name-list.ts";
import { randomFrom, seed } from "../../support/random.ts";
import { openStores, type Stores } from "../../support/stores.ts";

const folder = mkdtempSync(join(tmpdir(), "phishwatch-emails-"));
let stores: Stores;
let candidates: Candidates;
beforeAll(() => {
  stores = openStores();
  const yielder = () => createYielder({ sliceMs: 10, elapsedMs: () => performance.now() });
  candidates = createCandidates({ ...stores, yielder });
});
afterAll(() => {
  stores.dispose();
  rmSync(folder, { recursive: true });
});
console.error(`seed ${seed}`);

const crlf = (text: string) => text.replaceAll("\n", "\r\n");
const encoded = (text: string) => Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\n");

/** The message that was reported, as it was sent. */
const reported = `Return-Path: <bounce@mailer.evil-sender.org>
Received: from relay.unrelated.net (relay.unrelated.net [192.0.2.1]) by mx.example-bank.com
From: "Example Bank" <service@examp1e-bank-mail.com>
Reply-To: help@reply.evil-sender.org
To: victim@example-bank.com
Subject: Your account
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=outer

--outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Sign in: https://login-example-bank.com/verify?user=3Dvictim=
&token=3D1 or hxxps://defanged[.]example-bank-text[.]org/a.

--inner
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64

${encoded(`<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1.dtd">
<html xmlns="http://www.w3.org/1999/xhtml"><base href="https://based.example-bank-html.org/dir/"><body>
<a href="https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fwrapped.example-bank-html.org%2Fin&amp;data=05">Sign in</a>
<a href='page.html'>relative</a> <a href=https://bare.example-bank-html.org>bare</a> <a href="mailto:x@y.org">mail</a>
<a href="ht&#116;ps:&#47;&#47;entities.example-bank-html.org&#47;x">entities</a> <a href="//scheme.example-bank-html.org/y">y</a>
<a href="https://www.example-bank.com/real">the real one</a> <a href="http://192.0.2.7/login">address</a>
<a data-saferedirecturl="https://www.google.com/url?q=https://gmail.example-bank-html.org/z&amp;source=gmail" href="#">z</a>
<form action="https://form.example-bank-html.org/post.php"><button formaction="https://button.example-bank-html.org/"></button></form>
<img src="https://image.example-bank-html.org/logo.png"><!-- <v:rect href="https://comment.example-bank-html.org/"> -->
<meta http-equiv="refresh" content="0; URL=https://refresh.example-bank-html.org/r"> https://text.example-bank-html.org/t
</body></html>`)}
--inner--
--outer
Content-Type: application/octet-stream; name="invoice.html"
Content-Disposition: attachment; filename="invoice.html"
Content-Transfer-Encoding: base64

${encoded('<form action="https://attached.example-bank-html.org/collect"></form><script>location = "https://script.example-bank-html.org/s"</script>')}
--outer
Content-Type: image/png
Content-Disposition: attachment; filename="logo.png"
Content-Transfer-Encoding: base64

${encoded("https://not-read.example-bank-html.org/ ".repeat(100))}
--outer--
`;

/** The report: a colleague forwards the message as an attachment. */
const report = `Received: from mail.example-bank.com by gateway.example-bank.com
From: Colleague <colleague@example-bank.com>
To: abuse@example-bank.com
Subject: Fwd: Your account
Content-Type: multipart/mixed; boundary=report

--report
Content-Type: text/plain

Please check. Our intranet is https://intranet.example-bank.com/.
--report
Content-Type: message/rfc822
Content-Disposition: attachment; filename="Your account.eml"

${reported}
--report--
`;

const found = [
  "message_sender examp1e-bank-mail.com",
  "message_sender reply.evil-sender.org",
  "message_sender mailer.evil-sender.org",
  ...[
    "based.example-bank-html.org https://based.example-bank-html.org/dir/page.html",
    "wrapped.example-bank-html.org https://wrapped.example-bank-html.org/in",
    "bare.example-bank-html.org https://bare.example-bank-html.org/",
    "entities.example-bank-html.org https://entities.example-bank-html.org/x",
    "scheme.example-bank-html.org https://scheme.example-bank-html.org/y",
    "gmail.example-bank-html.org https://gmail.example-bank-html.org/z",
    "form.example-bank-html.org https://form.example-bank-html.org/post.php",
    "button.example-bank-html.org https://button.example-bank-html.org/",
    "comment.example-bank-html.org https://comment.example-bank-html.org/",
    "refresh.example-bank-html.org https://refresh.example-bank-html.org/r",
    "text.example-bank-html.org https://text.example-bank-html.org/t",
    "login-example-bank.com https://login-example-bank.com/verify?user=victim&token=1",
    "defanged.example-bank-text.org https://defanged.example-bank-text.org/a",
    "attached.example-bank-html.org https://attached.example-bank-html.org/collect",
    "script.example-bank-html.org https://script.example-bank-html.org/s",
  ].map((link) => `message_link ${link}`),
  "message_image image.example-bank-html.org https://image.example-bank-html.org/logo.png",
  "ip_address null http://192.0.2.7/login",
];

let files = 0;
function file(content: string | Uint8Array, name: string): string {
  const path = join(folder, `${files++}-${name}`);
  writeFileSync(path, content);
  return path;
}

/** Processes a file as a source does. Returns how it was read, what is to be inspected, and the places of its commits. */
async function processFile(path: string, options: NameListOptions = {}) {
  const list = await openNameList(path, options);
  const inspected: string[] = [];
  const places: Place[] = [];
  try {
    const tally = await candidates.process(list.batches(), {
      source: "feed",
      interpret: { max: 1_000, hostNames: true },
      inspect: (addresses) => void inspected.push(...addresses),
      onCommit: (place) => void places.push(place),
    });
    const read = tally.interpreted.map(({ form, name, url = "" }) => `${form} ${name} ${url}`.trim());
    return { tally, read, inspected, places };
  } finally {
    await list.close();
  }
}

function isOwn(address: string): boolean {
  const url = new URL(address.includes("://") ? address : `https://${address}`);
  return stores.domains.matcher().isOwn(url.hostname);
}

describe("An email", () => {
  test("is read with its links, forms, images and senders, also of attached messages and pages, and without the team's own", async () => {
    for (const content of [report, crlf(report), `\ufeff\n${report}`, gzipSync(report)]) {
      const { read, inspected, tally } = await processFile(file(content, "report.txt"));
      expect(read.toSorted()).toEqual(found.toSorted());
      expect(tally.invalid).toBe(0);
      const links = found.filter((entry) => entry.startsWith("message_link"));
      expect(inspected.filter((address) => !isOwn(address))).toHaveLength(links.length + 1);
      expect(inspected.filter(isOwn)).toHaveLength(2);
      expect(inspected).toContain("https://wrapped.example-bank-html.org/in");
      expect(inspected.join()).not.toContain("evil-sender");
    }
    const [threat] = stores.threats.named("example-bank.com", ["login-example-bank.com"]);
    expect(stores.threats.origins(threat!.id).urls.map(({ url }) => url)).toEqual([
      "https://login-example-bank.com/verify?user=victim&token=1",
    ]);
  });

  test("of thousands of lines lets other work run between them", async () => {
    const lines = 10_000;
    let turns = 0;
    let isRead = false;
    const count = () => {
      turns += 1;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    await candidates.submit([itemOf(`From: a@b.example\nSubject: x\n\n${"word\n".repeat(lines)}`)], {
      source: "submission",
    });
    isRead = true;
    expect(turns).toBeGreaterThan(lines / 500);
  });

  test("pasted as an item among names counts as one item, and each of its matches is reported", async () => {
    const items = ["one-example-bank.com", crlf(report), "nodot", "From: nobody\nwithout: anything"];
    const result = await candidates.submit(items.map(itemOf), {
      source: "submission",
      interpret: { max: 100, hostNames: false },
    });
    expect(result).toMatchObject({ received: 4, invalid: 2 });
    expect(result.firstInvalid.map(({ line }) => line)).toEqual([3, 4]);
    expect(result.matches.map(({ domain }) => domain)).toContain("login-example-bank.com");
    expect(result.interpreted).toHaveLength(found.length);
    expect(new Set(result.interpreted.map(({ line }) => line))).toEqual(new Set([2]));
  });

  test("is recognized by its header, and lists of names are not taken for one", async () => {
    const read = async (content: string, name = "list.txt") => (await processFile(file(content, name))).read;
    const body = "\n\nhttps://a.example/x\n";
    expect(await read(`From: A\nSent: Monday\nTo: b\nSubject: x${body}`)).toEqual([
      "message_link a.example https://a.example/x",
    ]);
    expect(await read(`Subject: x\n folded\nX-Own: y${body}`)).toHaveLength(1);
    expect(await read("from: a.com\nto-do.com\n")).toEqual(["host_name to-do.com"]);
    expect(await read("a.com\nFrom: x\nTo: y\n")).toEqual(["host_name a.com"]);
    expect(await read("anything https://a.example/x", "mail.eml")).toEqual([
      "message_link a.example https://a.example/x",
    ]);
  });

  test("without a link is an error that says so", async () => {
    const { tally } = await processFile(file("From: x\nSubject: y\n\nHello\n", "mail.eml"));
    expect(tally.firstInvalid).toEqual([
      { line: 1, text: "email", why: "is an email without a link or a sender" },
    ]);
  });
});

test("A message in Outlook's own format, and a PDF document, are errors that say what to do", async () => {
  const outlook = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0);
  await expect(processFile(file(outlook, "report.msg"))).rejects.toThrow("save an email as .eml");
  await expect(processFile(file("%PDF-1.7\n", "report.pdf"))).rejects.toThrow("is a PDF document");
});

describe("A mailbox file", () => {
  const message = (index: number) =>
    `From sender@a.org Mon Jan  5 10:00:0${index} 2026\nFrom: x <x@sender-${index}.org>\nSubject: x\n\nhttps://m${index}.example/\n>From here\n\n`;
  const mailbox = [0, 1, 2].map(message).join("");

  test("is read message by message, and resumes between two of them", async () => {
    const path = file(mailbox, "list.mbox");
    const all = await processFile(path);
    expect(all.read).toEqual(
      [0, 1, 2].flatMap((i) => [
        `message_sender sender-${i}.org`,
        `message_link m${i}.example https://m${i}.example/`,
      ]),
    );
    expect(all.places.at(-1)).toEqual({ position: mailbox.length, line: mailbox.split("\n").length });
    const from = { position: mailbox.indexOf("From sender", 10), line: 8 };
    expect((await processFile(path, { from })).read).toEqual(all.read.slice(2));
  });

  test("that is still being written is read up to its last complete message", async () => {
    const { read, places } = await processFile(file(mailbox, "growing.mbox"), { wholeLinesOnly: true });
    expect(read).toHaveLength(4);
    expect(places.at(-1)!.position).toBe(mailbox.lastIndexOf("From sender"));
    const single = await processFile(file(report, "growing.eml"), { wholeLinesOnly: true });
    expect([single.read, single.places]).toEqual([[], []]);
  });
});

describe("A hostile email", () => {
  const head =
    "From: a@b.example\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n";
  const html = `${head}--B\nContent-Type: text/html\n\n`;
  const last = '\n<a href="https://last.example/">';
  const nested = (depth: number): string =>
    depth === 0
      ? 'Content-Type: text/html\n\n<a href="https://deep.example/">'
      : `Content-Type: multipart/mixed; boundary=b${depth}\n\n--b${depth}\n${nested(depth - 1)}\n--b${depth}--\n`;
  const messages = (depth: number): string =>
    depth === 0 ? html + last : `${head}--B\nContent-Type: message/rfc822\n\n${messages(depth - 1)}`;

  test.each<[string, string, string?]>([
    ["many separators", head + "--B\n".repeat(200_000)],
    ["many empty lines", `${html}${"\n".repeat(1_000_000)}`],
    ["many fields", `${"From: a@b.example\n".repeat(60_000)}\nhttps://last.example/`],
    ["an endless field", `From: ${"a@b.example, ".repeat(80_000)}\n\nx`],
    ["many recipients", `To: ${"a,".repeat(100_000)}\nFrom: a@last.example\n\nx`, "last.example"],
    ["deep parts", `From: a@b.example\nSubject: x\n${nested(200)}`, "deep.example"],
    ["deep messages", messages(4), "last.example"],
    ["too deep messages", messages(40)],
    ["open tags", html + "<a href=".repeat(60_000) + last, "last.example"],
    ["open quotes", html + "<a href=\"<a href='".repeat(30_000)],
    ["brackets", html + "<".repeat(500_000)],
    ["entities", html + "&amp;&#x0;&lt".repeat(40_000)],
    [
      "many links to one host",
      html +
        '<a href="https://a.example/#">'.replace("#", "1") +
        Array.from({ length: 5_000 }, (_, i) => `<a href="https://a.example/${i}">`).join("") +
        last,
      "last.example",
    ],
    [
      "a document of 8 MiB before the text",
      `${head}--B\nContent-Type: application/pdf\nContent-Transfer-Encoding: base64\n\n${encoded("x".repeat(6 << 20))}\n--B\nContent-Type: text/html\n\n${last}`,
      "last.example",
    ],
    [
      "a header field that is no valid text",
      `From: =?utf-8?B?${"/w==".repeat(1_000)}?= <a@b.example>\nSubject: \0\n\nhttps://last.example/`,
      "last.example",
    ],
  ])("with %s is read up to its limits", async (...[, content, expected]) => {
    const { read } = await processFile(file(content, "hostile.eml"));
    expect(read.length).toBeLessThanOrEqual(1_001);
    if (typeof expected === "string") expect(read.join("\n")).toContain(expected);
  });

  test("with any damage is read without an error and gives only valid names", async () => {
    const random = randomFrom(seed);
    const bytes = new TextEncoder().encode(report);
    for (let round = 0; round < 60; round++) {
      const damaged = bytes.slice();
      for (let changes = 1 + random(20); changes > 0; changes--) {
        const at = random(damaged.length);
        if (random(2) === 0) damaged[at] = random(256);
        else damaged.copyWithin(at, random(damaged.length), random(damaged.length));
      }
      for (const { form, text } of await readMessage(damaged.slice(random(2) * random(damaged.length))))
        expect([form.startsWith("message_"), text.length > 3]).toEqual([true, true]);
    }
  });
});
