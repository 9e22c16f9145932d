import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommandLine } from "../../../src/cli/program.ts";
import type { Output, Terminal } from "../../../src/cli/terminal/terminal.ts";
import { temporaryFolder } from "../../support/appliance.ts";

// Runs the commands within this process, over a real database file.

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  configure("");
});
afterEach(() => folder.dispose());

const configPath = () => join(folder.path, "phishwatch.toml");

function configure(more: string): void {
  writeFileSync(
    configPath(),
    `[storage]
path = ${JSON.stringify(join(folder.path, "phishwatch.db"))}
[archive]
enabled = false
[lookups]
enabled = false
[[protected_domains]]
domain = "example-bank.com"
[[channels]]
name = "team-chat"
type = "slack"
url = "https://hooks.slack.com/services/T0/B0/secret"
${more}`,
  );
}

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const texts = { out: "", err: "" };
  const output = (name: keyof typeof texts): Output => ({
    write: (text) => void (texts[name] += text),
    flush() {},
    isTerminal: false,
    columns: undefined,
  });
  const terminal: Terminal = {
    out: output("out"),
    err: output("err"),
    inputIsTerminal: false,
    env: { PHISHWATCH_CONFIG: configPath(), USER: "tester" },
    interruption: () => new AbortController().signal,
    threads: {
      threads: 1,
      startWorker: () => {
        throw new Error("these commands start no thread");
      },
    },
  };
  const code = await runCommandLine(["subscriptions", ...args], terminal);
  return { code, ...texts };
}

test("a subscription is added, listed, changed, paused and removed on the command line", async () => {
  expect(await run("list")).toEqual({
    code: 0,
    out: "",
    err: "no subscriptions; 'phishwatch subscriptions add' adds one\n",
  });
  const filter = ["--min-severity", "high", "--verified-only"];
  const hours = ["--quiet-hours", "22:00-07:00", "--time-zone", "Europe/Berlin"];
  const days = ["--weekday", "fri", "--weekday", "mon"];
  const added = await run("add", "urgent", "--channel", "team-chat", ...filter, ...hours, ...days);
  expect(added.err).toMatch(/^added urgent \(sub_\w+\)\n$/);
  const changed = await run(
    "change",
    "urgent",
    "--domain",
    "example-bank.com",
    "--event",
    "threat.resolved",
    "--json",
  );
  expect(JSON.parse(changed.out)).toMatchObject({
    name: "urgent",
    channel: "team-chat",
    events: ["threat.resolved"],
    min_severity: "high",
    protected_domains: ["example-bank.com"],
    verified_only: true,
    weekdays: ["mon", "fri"],
    quiet_hours: "22:00-07:00",
    time_zone: "Europe/Berlin",
    enabled: true,
    origin: "runtime",
  });
  expect((await run("list")).out).toContain(" at once, not 22:00-07:00 ");
  const other = await run(
    "change",
    "urgent",
    "--all-threats",
    "--min-severity",
    "medium",
    "--every-day",
    "--quiet-hours",
    "",
  );
  expect(other.code).toBe(0);
  expect((await run("disable", "urgent")).err).toMatch(/^disabled urgent /);
  const shown = (await run("show", "urgent")).out;
  expect(shown).toContain("team-chat (Slack)");
  expect(shown).toMatch(/filter +medium or higher\n/);
  expect(shown).toMatch(/weekdays +every day\n/);
  expect(shown).toMatch(/state +disabled \(operator\)\n/);
  expect((await run("enable", "urgent")).err).toMatch(/^enabled urgent /);
  expect((await run("remove", "urgent")).err).toMatch(/^removed urgent /);
  expect((await run("list", "--json")).out).toBe("");
});

const wrong: [args: string[], code: number, message: string][] = [
  [["add", "urgent"], 2, "phishwatch: --channel is required: the channel that is sent the messages\n"],
  [["add", "urgent", "--channel", "chat"], 1, "phishwatch: there is no channel chat; channels: team-chat\n"],
  [
    ["add", "urgent", "--channel", "team-chat", "--at", "8"],
    2,
    'phishwatch: --at must be a time such as "08:00", not "8"\n',
  ],
  [
    ["add", "urgent", "--channel", "team-chat", "--time-zone", "Berlin"],
    1,
    'phishwatch: the time zone must be a time zone such as "Europe/Berlin" or "UTC", not "Berlin"\n',
  ],
  [["show", "urgent"], 1, "phishwatch: there is no subscription urgent\n"],
];
test.each(wrong)("subscriptions %j fails and says what to change", async (args, code, message) => {
  expect(await run(...args)).toEqual({ code, out: "", err: message });
});

test("a declared subscription appears from the file, and a wrong channel in it stops every command", async () => {
  const declare = (channel: string) =>
    `[[subscriptions]]\nname = "night"\nchannel = "${channel}"\ndigest = "daily"\n`;
  configure(declare("team-chat"));
  const [line] = (await run("list", "--json")).out.split("\n");
  expect(JSON.parse(line!)).toMatchObject({ name: "night", origin: "file", digest: "daily", at: "08:00" });
  expect((await run("change", "night", "--digest", "hourly")).err).toBe(
    "phishwatch: night is declared in the configuration file; change it there\n",
  );
  configure(declare("chat"));
  expect(await run("list")).toEqual({
    code: 2,
    out: "",
    err: 'phishwatch: subscriptions "night": there is no channel chat; channels: team-chat\n',
  });
});
