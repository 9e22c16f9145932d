import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandFolder, defaultConfig, type CommandFolder } from "../support/command-line.ts";

let folder: CommandFolder;
beforeEach(
  () => void (folder = commandFolder(`${defaultConfig}\n[traps]\npublic_url = "https://traps.test"\n`)),
);
afterEach(() => folder.dispose());

const run = (...args: string[]) => folder.run(args);
const rows = async (...args: string[]) => {
  const { code, out, err } = await folder.run([...args, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

describe("beacons", () => {
  test("are created with their snippet, shown, disabled and removed", async () => {
    const made = await run(
      "beacons",
      "create",
      "Example-Bank.com",
      "--name",
      "sign-in",
      "--allow",
      "partner.example",
    );
    expect(made.code).toBe(0);
    expect(made.out).toMatch(/^<script>.*https:\/\/traps\.test\/b\/[a-z2-7]{26}.*<\/script>\n$/);
    expect(made.err).toMatch(/^made sign-in \(bcn_\w{26}\)\n$/);
    expect(await rows("beacons", "list")).toMatchObject([
      {
        name: "sign-in",
        protected_domain: "example-bank.com",
        allow: ["partner.example"],
        enabled: true,
        visits: {},
      },
    ]);
    const shown = (await run("beacons", "show", "sign-in")).out;
    expect(shown).toContain(made.out.trim());
    expect(shown).toContain("script-src 'sha256-");
    expect(shown).toContain(".gif)");
    expect((await run("beacons", "disable", "sign-in")).err).toStartWith("disabled sign-in");
    expect((await run("beacons", "list")).out).toContain("disabled");
    expect((await run("beacons", "remove", "sign-in")).code).toBe(0);
    expect(await rows("beacons", "list")).toEqual([]);
    expect((await run("beacons", "create", "other.com")).err).toContain("not a protected domain");
    expect((await run("beacons", "show", "none\u001b")).err).toContain("no beacon none\\u{1b}");
  });

  test("of a running server report at once, and what they saw is listed", async () => {
    folder.file("phishwatch.toml", defaultConfig);
    const server = await folder.serve();
    const { err } = await run("beacons", "create", "example-bank.com", "--name", "sign-in");
    expect(err).toContain("traps.public_url");
    const [beacon] = await rows("beacons", "list");
    const path = /\/b\/[a-z2-7]{26}/.exec(String(beacon!["script"]))![0];
    const page = "https://evil.top/login\u202e";
    const answer = await fetch(`${server.url}${path}?${new URLSearchParams({ u: page })}`);
    expect(answer.status).toBe(200);
    let seen: Record<string, unknown>[] = [];
    const look = async () => {
      while ((seen = await rows("beacons", "hits", "sign-in")).length === 0) await Bun.sleep(50);
      return true;
    };
    await Promise.race([look(), Bun.sleep(10_000)]);
    expect(seen).toMatchObject([
      { class: "foreign", hostname: "evil.top", count: 1, event_id: expect.any(String) },
    ]);
    const { out } = await run("beacons", "hits", "sign-in");
    expect(out).toContain("https://evil.top/login\\u{202e}");
    const threats = await rows("threats", "list");
    expect(threats).toMatchObject([
      { domain: "evil.top", type: "cloned_site", source: "beacon", severity: "high" },
    ]);
    await server.stop();
  }, 30_000);
});

test("check says where visitors are sent, once there are traps, and what is wrong with that", async () => {
  expect((await run("check")).out).not.toContain("traps");
  await run("beacons", "create", "example-bank.com");
  expect((await run("check")).out).toMatch(
    /^ok +traps: beacons: 1, honeytokens: 0; visitors are sent to https:\/\/traps\.test$/m,
  );
  folder.file("phishwatch.toml", defaultConfig);
  expect((await run("check")).out).toMatch(/^note +traps: .*set traps\.public_url/m);
});

describe("tokens", () => {
  test("are created with their address, rotated, disabled and removed", async () => {
    const made = await run(
      "tokens",
      "create",
      "url",
      "--name",
      "wiki",
      "--memo",
      "in the wiki",
      "--expires-in",
      "90d",
    );
    expect(made.out).toMatch(/^https:\/\/traps\.test\/t\/[a-z2-7]{26}\n$/);
    const rotated = await run("tokens", "rotate", "wiki", "--watch-old");
    expect(rotated.out).toMatch(/^https:\/\/traps\.test\/t\/[a-z2-7]{26}\n$/);
    expect(rotated.out).not.toBe(made.out);
    expect(await rows("tokens", "show", "wiki")).toMatchObject([
      { kind: "url", memo: "in the wiki", url: rotated.out.trim(), old_addresses: [made.out.trim()] },
    ]);
    expect((await run("tokens", "create", "pixel")).out).toEndWith(".gif\n");
    expect((await run("tokens", "show", "pixel")).out).toContain(`<img src="https://traps.test/t/`);
    expect((await run("tokens", "disable", "wiki")).code).toBe(0);
    expect((await run("tokens", "list")).out).toContain("disabled");
    expect((await run("tokens", "remove", "wiki")).code).toBe(0);
    expect(await rows("tokens", "list")).toHaveLength(1);
  });

  test("refuse what makes no sense", async () => {
    expect((await run("tokens", "create", "dns")).code).toBe(2);
    expect((await run("tokens", "create", "url", "--redirect", "javascript:x")).err).toContain(
      "to redirect to",
    );
    expect(
      (await run("tokens", "create", "url", "--redirect", "https://a.example", "--title", "x")).code,
    ).toBe(2);
    expect((await run("tokens", "create", "pixel", "--title", "x")).err).toContain("kind url");
    expect((await run("tokens", "hits", "none")).err).toContain("no honeytoken none");
  });

  test("of kind document are written to files that hold the address, and never over another", async () => {
    const { out } = await run("tokens", "create", "document", "--name", "salaries");
    expect((await run("tokens", "document", "salaries", "bait.pdf", "--title", "Salaries")).code).toBe(0);
    expect(readFileSync(join(folder.path, "bait.pdf"), "latin1")).toContain(out.trim());
    expect((await run("tokens", "document", "salaries", "bait.docx")).code).toBe(0);
    expect(readFileSync(join(folder.path, "bait.docx")).subarray(0, 2).toString()).toBe("PK");
    expect((await run("tokens", "document", "salaries", "bait.pdf")).err).toContain("exists already");
    expect((await run("tokens", "document", "salaries", "bait.exe")).code).toBe(2);
    await run("tokens", "create", "pixel");
    expect((await run("tokens", "document", "pixel", "other.pdf")).code).toBe(2);
  });
});
