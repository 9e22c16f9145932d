import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandFolder, defaultConfig, type CommandFolder } from "../../support/command-line.ts";

let folder: CommandFolder;
beforeEach(() => {
  folder = commandFolder(`${defaultConfig}\n[traps]\npublic_url = "https://traps.test"\n`);
  folder.createDatabase();
});
afterEach(() => folder.dispose());

/** Runs a command given as one text; arguments with spaces are given after it. */
const run = (command: string, ...more: string[]) => folder.runHere([...command.split(" "), ...more]);
const rows = async (command: string) => {
  const { code, out, err } = await run(`${command} --json`);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

describe("`phishwatch beacons`", () => {
  test("creates a beacon with its snippet, shows, disables, and deletes it", async () => {
    const created = await run("beacons create Example-Bank.com --name sign-in --allow partner.example");
    expect(created.code).toBe(0);
    expect(created.out).toMatch(/^<script>.*https:\/\/traps\.test\/b\/[a-z2-7]{26}.*<\/script>\n$/);
    expect(created.err).toMatch(/^created sign-in \(bcn_\w{26}\)\n$/);
    expect(await rows("beacons list")).toMatchObject([
      {
        name: "sign-in",
        protected_domain: "example-bank.com",
        allow: ["partner.example"],
        enabled: true,
        visits: {},
      },
    ]);
    const shown = (await run("beacons show sign-in")).out;
    expect(shown).toContain(created.out.trim());
    expect(shown).toContain("script-src 'sha256-");
    expect(shown).toContain(".gif)");
    expect((await run("beacons disable sign-in")).err).toStartWith("disabled sign-in");
    expect((await run("beacons list")).out).toContain("disabled");
    expect((await run("beacons enable sign-in")).err).toStartWith("enabled sign-in");
    expect((await run("beacons delete sign-in")).code).toBe(0);
    expect(await rows("beacons list")).toEqual([]);
    expect((await run("beacons create other.com")).err).toContain("not a protected domain");
    expect((await run("beacons show none\u001b")).err).toContain("no beacon none\\u{1b}");
  });

  test("has no `rotate` and no `document`, which beacons do not support", async () => {
    expect((await run("beacons rotate sign-in")).code).toBe(2);
    expect((await run("beacons document sign-in x.pdf")).code).toBe(2);
  });

  test("lists the visits that a running server records", async () => {
    folder.file("phishwatch.toml", defaultConfig);
    const server = await folder.serve();
    const { err } = await run("beacons create example-bank.com --name sign-in");
    expect(err).toContain("traps.public_url");
    const [beacon] = await rows("beacons list");
    const path = /\/b\/[a-z2-7]{26}/.exec(String(beacon!["script"]))![0];
    const page = "https://evil.top/login\u202e";
    const response = await fetch(`${server.url}${path}?${new URLSearchParams({ u: page })}`);
    expect(response.status).toBe(200);
    let visits = await rows("beacons visits sign-in");
    while (visits.length === 0) visits = await rows("beacons visits sign-in");
    expect(visits).toMatchObject([
      { class: "foreign", hostname: "evil.top", count: 1, event_id: expect.any(String) },
    ]);
    // The former name of the command.
    expect(await rows("beacons hits sign-in")).toEqual(visits);
    const { out } = await run("beacons visits sign-in");
    expect(out).toContain("https://evil.top/login\\u{202e}");
    const threats = await rows("threats list");
    expect(threats).toMatchObject([
      { domain: "evil.top", type: "cloned_site", source: "beacon", severity: "high" },
    ]);
    await server.stop();
  }, 60_000);
});

test("`phishwatch check` reports the URL of the traps if there are any, and why browsers reject it", async () => {
  expect((await run("check")).out).not.toContain("traps");
  await run("beacons create example-bank.com");
  expect((await run("check")).out).toMatch(
    /^ok +traps: beacons: 1, honeytokens: 0; their URLs start with https:\/\/traps\.test$/m,
  );
  folder.file("phishwatch.toml", defaultConfig);
  expect((await run("check")).out).toMatch(/^warning +traps: .*set traps\.public_url/m);
});

describe.each(["honeytokens", "tokens"])("`phishwatch %s`", (name) => {
  test("creates a honeytoken with its address, rotates, disables, and deletes it", async () => {
    const created = await run(
      `${name} create url --name wiki --expires-in 90d --memo`,
      "page Passwords in the wiki",
    );
    expect(created.out).toMatch(/^https:\/\/traps\.test\/t\/[a-z2-7]{26}\n$/);
    const rotated = await run(`${name} rotate wiki --watch-old`);
    expect(rotated.out).toMatch(/^https:\/\/traps\.test\/t\/[a-z2-7]{26}\n$/);
    expect(rotated.out).not.toBe(created.out);
    expect(await rows(`${name} show wiki`)).toMatchObject([
      {
        kind: "url",
        memo: "page Passwords in the wiki",
        url: rotated.out.trim(),
        old_addresses: [created.out.trim()],
        answer: { kind: "not_found" },
        expires_at: expect.stringMatching(/^20.*Z$/),
      },
    ]);
    expect((await run(`${name} show wiki`)).out).toContain(rotated.out.trim());
    expect((await run(`${name} create pixel`)).out).toEndWith(".gif\n");
    expect((await run(`${name} show pixel`)).out).toContain(`<img src="https://traps.test/t/`);
    expect((await run(`${name} disable wiki`)).code).toBe(0);
    expect((await run(`${name} list`)).out).toContain("disabled");
    expect((await run(`${name} remove wiki`)).code).toBe(0);
    expect(await rows(`${name} list`)).toHaveLength(1);
  });
});

describe("`phishwatch honeytokens`", () => {
  test("rejects invalid input", async () => {
    expect(await run("honeytokens create dns")).toMatchObject({
      code: 2,
      err: expect.stringContaining("must be one of url, pixel, document"),
    });
    expect(await run("honeytokens create url --redirect javascript:x")).toMatchObject({
      code: 1,
      err: expect.stringContaining("to redirect to"),
    });
    expect((await run("honeytokens create url --redirect https://a.example --title x")).code).toBe(2);
    expect((await run("honeytokens create pixel --title x")).err).toContain("kind url");
    expect((await run("honeytokens visits none")).err).toContain("no honeytoken none");
  });

  test("writes the files of a document with its address, and overwrites none", async () => {
    const { out } = await run("honeytokens create document --name salaries");
    const write = (token: string, file: string) =>
      run(`honeytokens document ${token} ${file} --title Salaries`);
    expect((await write("salaries", "salaries.pdf")).code).toBe(0);
    expect(readFileSync(join(folder.path, "salaries.pdf"), "latin1")).toContain(out.trim());
    expect((await write("salaries", "salaries.docx")).code).toBe(0);
    expect(readFileSync(join(folder.path, "salaries.docx")).subarray(0, 2).toString()).toBe("PK");
    expect((await write("salaries", "salaries.pdf")).err).toContain("already exists");
    expect((await write("salaries", "salaries.exe")).code).toBe(2);
    await run("honeytokens create pixel");
    expect((await write("pixel", "other.pdf")).code).toBe(2);
  });

  test("--json states the response of every kind of honeytoken as it is sent", async () => {
    const answerOf = async (args: string) =>
      JSON.parse((await run(`honeytokens create ${args} --json`)).out).answer;
    expect(await answerOf("pixel --name p")).toEqual({ kind: "pixel" });
    expect(await answerOf("document --name d")).toEqual({ kind: "pixel" });
    expect(await answerOf("url --name u")).toEqual({ kind: "not_found" });
  });
});
