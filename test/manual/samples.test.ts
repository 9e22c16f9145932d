import { describe, expect, test } from "bun:test";
import { logEvents } from "../../src/platform/lib/log-events/catalogue.ts";
import { withReasons } from "../../scripts/render-campaign-reasons.ts";
import { withLogEvents } from "../../scripts/render-log-events.ts";
import { withMonitoring } from "../../scripts/render-monitoring.ts";
import { withManualTable } from "../../scripts/render-manual-table.ts";
import { loadAllCommands } from "../../src/cli/commands.ts";
import type { CommandDefinition } from "../../src/cli/terminal/command.ts";
import { eventTypes, pingEventType } from "../../src/platform/vocabulary/events.ts";
import { findManualPage, manualPages } from "../../src/manual/manual.ts";
import { lookAlikeTypes } from "../../src/engines/detection/types.ts";
import { commandFolder } from "../support/command-line.ts";
import { errorLines } from "../platform/config/helper.ts";
import { codeBlocks, documents, phishwatchCalls, readDocument } from "../support/documentation.ts";

const commands = await loadAllCommands();

/** Returns what is wrong with the arguments of a call, or undefined. */
function problemOf(args: string[]): string | undefined {
  const [name, ...rest] = args;
  if (name === "help") return helpProblem(rest[0]);
  if (name === "--version") return undefined;
  const entry = commands.find((one) => one.name === name || one.aliases?.includes(name!));
  if (entry === undefined) return `there is no command ${name}`;
  if (!("commands" in entry)) return optionProblem(entry, rest);
  // The name of a group alone refers to all its commands.
  if (rest.length === 0) return undefined;
  const inner = entry.commands.find((one) => one.name === rest[0] || one.aliases?.includes(rest[0]!));
  return inner === undefined ? `there is no command ${name} ${rest[0]}` : optionProblem(inner, rest.slice(1));
}

function helpProblem(topic: string | undefined): string | undefined {
  const isKnown = topic === undefined || topic === topic.toUpperCase() || findManualPage(topic) !== undefined;
  return isKnown ? undefined : `there is no topic ${topic}`;
}

function optionProblem(command: CommandDefinition, args: string[]): string | undefined {
  const forms = [...Object.values(command.flags).map(({ form }) => form), "-h, --help"];
  let operands = 0;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]!;
    if (!arg.startsWith("-") || arg === "-") {
      operands++;
      continue;
    }
    const form = forms.find((one) => one.split(/[ ,]+/).includes(arg));
    if (form === undefined) return `${command.name} has no option ${arg}`;
    const takesValue = form.includes("<");
    // A sentence may name an option without its value.
    if (takesValue) index++;
  }
  const parameters = command.arguments?.split(" ") ?? [];
  const max = parameters.some((one) => one.includes("...")) ? Infinity : parameters.length;
  return operands > max ? `${command.name} takes ${max} arguments, not ${operands}` : undefined;
}

describe("the README and the manual", () => {
  test("name only commands, arguments and options that exist", () => {
    const calls = phishwatchCalls();
    const wrong = calls.flatMap(({ where, args }) => {
      const problem = problemOf(args);
      return problem === undefined ? [] : [`${where}: ${problem}`];
    });
    expect(wrong).toEqual([]);
    expect(calls.length).toBeGreaterThan(60);
  });

  test("show TOML that the configuration reader accepts", () => {
    const blocks = codeBlocks(["toml"]);
    const env = {
      PHISHWATCH_SOC_SECRET: "a-secret-for-the-sample",
      PHISHWATCH_BULK_KEY: "a-secret-for-the-sample",
      LISTS_KEY: "auth-key=a-secret-for-the-sample",
      CERTSTREAM_KEY: "X-Key: a-secret-for-the-sample",
      CZDS_USER: "someone",
      CZDS_PASSWORD: "a-secret-for-the-sample",
      PHISHWATCH_MATRIX_TOKEN: "a-secret-for-the-sample",
      PHISHWATCH_NTFY_TOKEN: "a-secret-for-the-sample",
      PHISHWATCH_PAGERDUTY_KEY: "a-secret-for-the-sample",
      PHISHWATCH_TELEGRAM_TOKEN: "a-secret-for-the-sample",
      PHISHWATCH_DISCORD_URL: "https://chat.example/a-secret",
      PHISHWATCH_GOOGLE_CHAT_URL: "https://chat.example/a-secret",
      PHISHWATCH_MATTERMOST_URL: "https://chat.example/a-secret",
      PHISHWATCH_SLACK_URL: "https://chat.example/a-secret",
      PHISHWATCH_TEAMS_URL: "https://chat.example/a-secret",
      PHISHWATCH_TICKET_TOKEN: "a-secret-for-the-sample",
      PHISHWATCH_SMTP_PASSWORD: "a-secret-for-the-sample",
      BACKUP_ACCESS_KEY: "a-secret-for-the-sample",
      BACKUP_SECRET_KEY: "a-secret-for-the-sample",
    };
    const files = {
      "/run/credentials/phishwatch.service/slack": "https://chat.example/a-secret",
      "/etc/phishwatch/backup-secret": "a-secret-for-the-sample",
    };
    const wrong = blocks.flatMap(({ file, line, code }) =>
      errorLines(code, { env, files }).map((error) => `${file}:${line}: ${error}`),
    );
    expect(wrong).toEqual([]);
    expect(blocks.length).toBeGreaterThan(2);
  });

  test("name only settings that exist", () => {
    const settings = new Set(
      [...readDocument("src/manual/configure.md").matchAll(/^### `\[+([\w.]+)\]+`\n\n([^]*?)\n\n/gm)].flatMap(
        ([, table, rows]) => [...rows!.matchAll(/^\| `(\w+)`/gm)].map(([, key]) => `${table}.${key}`),
      ),
    );
    const tables = new Set([...settings].map((key) => key.split(".")[0]!));
    const wrong = documents.flatMap((file) => {
      const text = readDocument(file).replaceAll(/^```[^]*?^```$/gm, "");
      return [...text.matchAll(/`([a-z_]+\.[a-z_]+)(?: = [^`]*)?`/g)]
        .map(([, key]) => key!)
        .filter((key) => tables.has(key.split(".")[0]!) && !settings.has(key))
        .filter((key) => !([...eventTypes, pingEventType] as string[]).includes(key) && !(key in logEvents))
        .map((key) => `${file}: ${key}`);
    });
    expect(wrong).toEqual([]);
    expect(settings.size).toBeGreaterThan(50);
  });

  test("show what `match` prints", async () => {
    const folder = commandFolder("");
    const blocks = codeBlocks(["console"]).filter(({ code }) => code.includes("phishwatch match"));
    for (const { file, code } of blocks) {
      const [prompt, ...shown] = code.trimEnd().split("\n");
      const [, names, args] = /^\$ (?:echo|printf '%s\\n') (.+) \| \S*phishwatch (.+)$/.exec(prompt!)!;
      const { out } = await folder.run(args!.split(" "), { stdin: `${names!.replaceAll(" ", "\n")}\n` });
      expect([file, out.trimEnd()]).toEqual([file, shown.join("\n")]);
    }
    expect(blocks.map(({ file }) => file).sort()).toEqual([
      "README.md",
      "src/manual/detection.md",
      "src/manual/first-steps.md",
    ]);
    folder.dispose();
  });

  test("show what an invalid configuration prints", async () => {
    const block = codeBlocks(["console"]).find(({ file }) => file === "src/manual/configure.md");
    const folder = commandFolder(
      '[server]\nlisten = "127.0.0.1"\n[scan]\nshedule = ""\n\n[[api_keys]]\nname = "ci"\n\nkey = { env = "NOT_SET" }\n',
    );
    const { code, err } = await folder.run(["serve"]);
    expect({ code, err }).toEqual({ code: 2, err: block!.code.replace(/^\$ .*\n/, "") });
    folder.dispose();
  });

  test("list the types of look-alikes in the order of their precedence, with examples that have them", async () => {
    const table = readDocument("src/manual/detection.md").split("## Types")[1]!.split("\n## ")[0]!;
    const rows = [...table.matchAll(/^\| `(\w+)` +\| (?:`([^`]+)`)?/gm)];
    expect(rows.map(([, type]) => type!)).toEqual([...lookAlikeTypes, "cloned_site"]);
    const examples = rows.flatMap(([, type, name]) => (name === undefined ? [] : [{ type: type!, name }]));
    const folder = commandFolder("");
    const stdin = examples.map(({ name }) => `${name}\n`).join("");
    const { out } = await folder.run(["match", "--protect", "example-bank.com", "--protect", "netflix.com"], {
      stdin,
    });
    const found = out
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"));
    expect(found.map(([name, , type]) => ({ type: type!, name: name! }))).toEqual(examples);
    expect(examples.length).toBe(8);
    folder.dispose();
  });

  test("link to each other by files and headings that exist", () => {
    const wrong = manualPages.flatMap(({ topic, text }) =>
      [...text.matchAll(/\]\(([a-z-]+)\.md(?:#([\w-]+))?\)/g)]
        .filter(([, to, anchor]) => {
          const page = findManualPage(to!);
          if (page === undefined) return true;
          const ids = [...page.text.matchAll(/^#{1,4} (.+)$/gm)].map(([, heading]) =>
            heading!
              .toLowerCase()
              .replaceAll(/[^\w -]/g, "")
              .replaceAll(" ", "-"),
          );
          return anchor !== undefined && !ids.includes(anchor);
        })
        .map(([link]) => `${topic}: ${link}`),
    );
    expect(wrong).toEqual([]);
  });

  test("the README's table of the manual matches the pages (otherwise run scripts/render-manual-table.ts)", () => {
    const readme = readDocument("README.md");
    expect(withManualTable(readme)).toBe(readme);
  });

  test("the table of reasons for campaigns matches the reasons (otherwise run scripts/render-campaign-reasons.ts)", () => {
    const page = readDocument("src/manual/campaigns.md");
    expect(withReasons(page)).toBe(page);
  });

  test("the tables of log events match the catalogue (otherwise run scripts/render-log-events.ts)", () => {
    const page = readDocument("src/manual/log.md");
    expect(withLogEvents(page)).toBe(page);
  });

  test("the tables of metrics and alerts match their definitions (otherwise run scripts/render-monitoring.ts)", () => {
    const page = readDocument("src/manual/monitoring.md");
    expect(withMonitoring(page)).toBe(page);
  });

  test("every page begins with a title and a sentence that summarizes it", () => {
    for (const { topic, title, summary } of manualPages) {
      expect([topic, title]).not.toEqual([topic, topic]);
      expect(summary).toMatch(/^[A-Z].{20,150}\.$/);
    }
    const listed = manualPages.map(({ topic }) => `src/manual/${topic}.md`);
    expect(documents.filter((file) => file !== "README.md")).toEqual(listed.toSorted());
  });
});
