import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { commandFolder, type CommandFolder, quickest, quickestForm } from "../support/command-line.ts";
import { until } from "../support/until.ts";

let folder: CommandFolder;
beforeEach(() => void (folder = commandFolder()));
afterEach(() => folder.dispose());

describe.each(quickestForm)("match ($form)", ({ command }) => {
  test("`match` prints name, protected domain, type and similarity of each match, and nothing else", async () => {
    const stdin = "# list\nexample-bank.net\nunrelated.org\nexample-bank.com\nLOGIN-EXAMPLE-BANK.COM.\n";
    const { code, out, err } = await folder.run(["match"], { stdin, command });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const rows = out
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(rows.map(([name, domain, type]) => [name, domain, type])).toEqual([
      ["example-bank.net", "example-bank.com", "tld_squatting"],
      ["login-example-bank.com", "example-bank.com", "combosquatting"],
    ]);
    for (const [, , , similarity] of rows) expect(Number(similarity)).toBeGreaterThan(0.7);
  });

  test("a list that is long enough for several threads is read completely and in order", async () => {
    const block = "name-of-nobody.example\n".repeat(60_000);
    const names = [
      "example-bank.net",
      "example-bnak.com",
      "login-example-bank.com",
      "example-bank.top",
      "example-bank.org",
    ];
    const path = folder.file("long.txt", names.map((name) => `${block}${name}\n`).join(""));
    const { code, out, err } = await folder.run(["match", path], { command });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(
      out
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t")[0]!),
    ).toEqual(names);
  });

  test("a file that cannot be opened is reported after the matches in the files before it", async () => {
    symlinkSync("loop.txt", join(folder.path, "loop.txt"));
    const path = folder.file("names.txt", "example-bank.net\n");
    const { code, out, err } = await folder.run(["match", path, "loop.txt"], { command });
    expect({ code, err }).toEqual({ code: 1, err: "phishwatch: loop.txt cannot be opened (ELOOP)\n" });
    expect(out).toStartWith("example-bank.net\texample-bank.com\t");
  });

  test("a long list starts the process again with fewer compilations, before it reads standard input", async () => {
    const path = folder.file("long.txt", "#\n".repeat(3 << 20));
    const running = folder.start(["match", path, "-"], { command });
    const environment = () => readFileSync(`/proc/${running.pid}/environ`, "utf8").split("\0");
    await until(
      () => environment().includes("BUN_JSC_thresholdForFTLOptimizeAfterWarmUp=1000000"),
      "the process is started again",
    );
    await running.stdin.write("example-bank.net\n");
    await running.stdin.end();
    expect(await new Response(running.stdout).text()).toStartWith("example-bank.net\texample-bank.com\t");
    expect(await running.exited).toBe(0);
  });

  test("--json prints one object per line, with reasons", async () => {
    const { out } = await folder.run(["match", "--json", "-"], { stdin: "example-bank.net\n", command });
    expect(JSON.parse(out)).toEqual({
      domain: "example-bank.net",
      protected_domain: "example-bank.com",
      type: "tld_squatting",
      similarity: expect.any(Number),
      reasons: expect.arrayContaining([expect.any(String)]),
    });
  });
});

describe("match", () => {
  test("--explain names the acceptance rule of each match, in text and in JSON", async () => {
    const stdin = "example-bank.net\nexmple-bank-login.net\n";
    const text = await folder.run(["match", "--explain"], { stdin });
    const rules = text.out.split("\n").filter((line) => line.startsWith("    rule "));
    expect(rules.map((line) => line.slice(0, line.indexOf(":")))).toEqual([
      "    rule whole_label",
      "    rule typo_set_apart",
    ]);
    const json = await folder.run(["match", "--explain", "--json"], { stdin });
    const objects = json.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { rule: string });
    expect(objects.map(({ rule }) => rule)).toEqual(["whole_label", "typo_set_apart"]);
  });

  test("--protect is repeatable and needs no configuration", async () => {
    const inside = commandFolder("");
    const args = ["match", "--protect", "first-bank.com", "--protect", "second-bank.com"];
    const { code, out } = await inside.run(args, {
      stdin: "first-bank.net\nsecond-bank.net\nexample-bank.net\n",
    });
    expect(code).toBe(0);
    expect(out.split("\n").map((line) => line.split("\t")[1])).toEqual([
      "first-bank.com",
      "second-bank.com",
      undefined,
    ]);
    inside.dispose();
  });

  test("--min-similarity excludes less similar names", async () => {
    const { out } = await folder.run(["match", "--min-similarity", "1"], {
      stdin: "login-example-bank.com\n",
    });
    expect(out).toBe("");
  });

  test("invalid lines are reported on standard error, with control characters escaped", async () => {
    const { code, out, err } = await folder.run(["match"], {
      stdin: "a b\n\u202Eevil\u001b[2J.com\nok.org\n",
    });
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toContain("standard input: 2 lines are not names");
    expect(err).toContain('line 1: "a b" contains a space; enter one name per line');
    expect(err).toContain("\\u{202e}evil\\u{1b}[2J.com");
    for (const hidden of ["\u001b", "\u202e"]) expect(err).not.toContain(hidden);
  });

  test("`match` reads pasted links, email addresses and defanged names", async () => {
    const pasted = ["https://examp1e-bank.com/login", "hxxp://examp1e-bank[.]com", "a@examp1e-bank(.)com"];
    const { code, out, err } = await folder.run(["match", "--protect", "hxxps://example-bank[.]com/"], {
      stdin: `${pasted.join("\n")}\n`,
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const line = "examp1e-bank.com\texample-bank.com\thomograph\t0.9821\n";
    expect(out.replace(/0\.\d+/g, "0.9821")).toBe(line.repeat(3));
  });

  test("an email is read from standard input, and --explain and --json say how each address was read", async () => {
    const stdin =
      "From: x <x@evil.example>\nSubject: y\n\nhxxps://examp1e-bank[.]com/login and https://other.org/\n";
    const { code, out, err } = await folder.run(["match", "--explain", "--json", "-"], { stdin });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      domain: "examp1e-bank.com",
      form: "message_link",
      url: "https://examp1e-bank.com/login",
    });
    expect(err).toBe(
      "standard input: how lines were read\n" +
        '  line 1: "x@evil.example" is read as sender of the email: evil.example\n' +
        '  line 1: "hxxps://examp1e-bank.com/login" is read as link in the email: examp1e-bank.com, a look-alike\n' +
        '  line 1: "https://other.org/" is read as link in the email: other.org\n',
    );
    const eml = folder.file("report.eml", stdin);
    const imported = await folder.run(["import", eml]);
    expect(imported.out).toContain("3 names, 0 invalid, 1 matched, 1 new threat");
    expect(imported.err).toContain("is read as link in the email: examp1e-bank.com, a look-alike");
    const [threat] = (await folder.runHere(["threats", "list", "--json"])).out.trim().split("\n");
    expect(JSON.parse(threat!)).toMatchObject({ domain: "examp1e-bank.com", source: "submission" });
    const again = await folder.run(["import", eml, "--json"]);
    expect(JSON.parse(again.out).interpreted[1]).toEqual({
      line: 1,
      text: "hxxps://examp1e-bank.com/login",
      form: "message_link",
      domain: "examp1e-bank.com",
      url: "https://examp1e-bank.com/login",
      matched: true,
    });
  });

  test("`match` exits silently when its reader closes the pipe", async () => {
    const list = folder.file(
      "many.txt",
      Array.from({ length: 200_000 }, (_, i) => `example-bank-${i}.com\n`).join(""),
    );
    const running = folder.start(["match", list]);
    const reader = running.stdout.getReader();
    await reader.read();
    await reader.cancel();
    expect(await new Response(running.stderr).text()).toBe("");
    expect(await running.exited).toBe(0);
  });

  test("results are printed before the input ends", async () => {
    const running = folder.start(["match"]);
    await running.stdin.write("example-bank.net\n");
    await running.stdin.flush();
    const { value } = await running.stdout.getReader().read();
    expect(new TextDecoder().decode(value)).toStartWith("example-bank.net\t");
    await running.stdin.end();
    expect(await running.exited).toBe(0);
  });

  test("`match` shows its progress on a terminal and removes it at the end", async () => {
    const fifo = join(folder.path, "names.fifo");
    expect(Bun.spawnSync(["mkfifo", fifo]).exitCode).toBe(0);
    let seen = "";
    const data = (_: unknown, bytes: Uint8Array) => void (seen += Buffer.from(bytes).toString());
    const command = [...quickest, "match", "--protect", "example-bank.com", "names.fifo"];
    const running = Bun.spawn(command, { cwd: folder.path, terminal: { cols: 100, rows: 24, data } });
    const names = await open(fifo, "w");
    const written = setInterval(() => void names.write("example-bank.net\nother.org\n"), 50);
    await until(
      () => /names\.fifo: [\d,]+ names, [\d,]+ matched, [\d,]+\/s/.test(seen),
      "it is shown",
      20_000,
    );
    clearInterval(written);
    await names.close();
    expect(await running.exited).toBe(0);
    await until(
      () =>
        seen
          .split("/s")
          .slice(1)
          .every((rest) => rest.startsWith("\r\u001b[K")),
      "it is taken away",
    );
  }, 60_000);
});

test.each([
  [["permutations", "x.com"], `no look-alikes of x.com: "x" has only 1 character; it is not searched for\n`],
  [
    ["permutations", "hxxp://example-bank[.]com/", "--min-similarity", "1", "--limit", "3"],
    "no look-alikes of example-bank.com: no generated name has a similarity of at least 1\n",
  ],
])("`permutations` without results says why on standard error, and succeeds: %p", async (args, err) => {
  expect(await folder.runHere(args)).toEqual({ code: 0, out: "", err });
});

test("`permutations` of a public suffix prints names that contain it as a whole", async () => {
  const { code, out } = await folder.runHere(["permutations", "gov.uk", "--limit", "3"]);
  expect(code).toBe(0);
  expect(out.split("\n")[0]).toStartWith("gov-uk.uk\tdoppelganger\t");
});

test("`permutations` prints names with type and similarity, the most similar of each type first", async () => {
  const { code, out } = await folder.runHere(["permutations", "example-bank.com", "--limit", "5"]);
  expect(code).toBe(0);
  const rows = out
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
  expect(rows).toHaveLength(5);
  expect(new Set(rows.map(([, type]) => type)).size).toBe(5);
  for (const [, , similarity] of rows) expect(Number(similarity)).toBeGreaterThan(0.9);
});

describe.each(quickestForm)("import ($form)", ({ command }) => {
  beforeEach(() => folder.createDatabase());

  test("`import` records each look-alike once, even if it runs again", async () => {
    const list = folder.file(
      "names.txt.gz",
      gzipSync("example-bank.net\nother.org\nx y\nexample-bank.org\n"),
    );
    const first = await folder.run(["import", list, "--json"], { command });
    expect(first.code).toBe(0);
    expect(JSON.parse(first.out)).toEqual({
      file: list,
      received: 4,
      invalid: 1,
      matched: 2,
      created: 2,
      first_invalid: [{ line: 3, text: "x y", why: expect.any(String) }],
    });
    const again = await folder.run(["import", list], { command });
    expect(again.out).toContain("4 names, 1 invalid, 2 matched, 0 new threats");
    expect(again.err).toContain('line 3: "x y"');
    expect((await folder.runHere(["threats", "list", "--json"])).out.trim().split("\n")).toHaveLength(2);
  });
});

describe("import", () => {
  const listed = async () =>
    (await folder.runHere(["threats", "list", "--json"])).out
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { domain: string; source: string; first_seen: string });

  test("`import` records the given source and time", async () => {
    const args = ["import", "--source", "submission", "--observed-at", "2025-06-01T12:00:00Z", "-"];
    await folder.run(args, { stdin: "example-bank.net\n" });
    expect(await listed()).toMatchObject([
      { domain: "example-bank.net", source: "submission", first_seen: "2025-06-01T12:00:00.000Z" },
    ]);
  });

  test("the summary counts one name in the singular, and a missing list is reported in one line", async () => {
    expect((await folder.run(["import", "-"], { stdin: "example-bank.net\n" })).out).toContain(
      ": 1 name, 0 invalid, 1 matched, 1 new threat (",
    );
    expect(await folder.run(["import", "none.txt"])).toMatchObject({
      code: 1,
      err: "phishwatch: none.txt does not exist\n",
    });
  });

  test("a truncated and a missing list fail the import, but the other lists are read", async () => {
    const text =
      "example-bank.net\n" + Array.from({ length: 20_000 }, (_, i) => `name${i * 7919}.org\n`).join("");
    const packed = gzipSync(text);
    const cut = folder.file("cut.gz", packed.subarray(0, packed.length - 50));
    const good = folder.file("good.txt", "example-bank.org\n");
    const { code, err } = await folder.run(["import", cut, "none.txt", good]);
    expect(code).toBe(1);
    expect(err).toMatch(/cut\.gz is truncated: its gzip data ends early \(read up to line \d+\)/);
    expect(err).toContain("none.txt does not exist");
    expect(err).toContain("2 of 3 lists could not be read completely");
    expect((await listed()).map(({ domain }) => domain).sort()).toEqual([
      "example-bank.net",
      "example-bank.org",
    ]);
  });

  test("several processes that open a new database at once create it only once", async () => {
    const runs = await Promise.all(
      Array.from({ length: 6 }, (_, i) => folder.run(["import", "-"], { stdin: `example-bank-${i}.com\n` })),
    );
    expect(runs.map(({ code, err }) => ({ code, err }))).toEqual(runs.map(() => ({ code: 0, err: "" })));
    expect(await listed()).toHaveLength(6);
  });

  test("an interrupted import keeps its results, reports its position and can be run again", async () => {
    const running = folder.start(["import", "-"]);
    const names = Array.from({ length: 500 }, (_, i) => `example-bank-${i}.com\n`).join("");
    await running.stdin.write(names);
    await running.stdin.flush();
    // Standard input stays open, so the import waits for more.
    await until(async () => (await listed()).length >= 50, "the first threats are recorded");
    running.kill("SIGINT");
    const err = await new Response(running.stderr).text();
    expect(await running.exited).toBe(1);
    expect(err).toMatch(/interrupted after line [\d,]+ of standard input/);
    const again = await folder.run(["import", "-", "--json"], { stdin: names });
    expect(JSON.parse(again.out)).toMatchObject({ received: 500, matched: 500 });
    expect(
      (await folder.runHere(["threats", "list", "--json", "--limit", "1000"])).out.trim().split("\n"),
    ).toHaveLength(500);
  }, 60_000);
});
