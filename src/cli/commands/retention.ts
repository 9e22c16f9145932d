import { bytesText, formatDuration, parseDuration } from "../../platform/lib/durations.ts";
import { mainDataAges } from "../../platform/config/sections/retention.ts";
import { optionalIsoTime } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import { readPastedName } from "../../engines/detection/names/pasted-name.ts";
import type { RulePreview } from "../../operations/retention/retention.ts";
import { type RetentionRule, retentionRules } from "../../operations/retention/tables.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { command, type CommandGroup, FailedError, UsageError } from "../terminal/command.ts";
import { configFlag, jsonFlag, texts } from "../terminal/flags.ts";
import { type Column, printList, shortTime } from "../terminal/table.ts";
import { appCommand } from "../appliance/app-command.ts";

const columns: Column<RulePreview>[] = [
  { title: "SETTING", cell: ({ rule }) => `retention.${rule}` },
  { title: "VALUE", cell: ({ ageMs }) => (ageMs === null ? "off" : formatDuration(ageMs)) },
  {
    title: "DELETES",
    cell: ({ preview }) => (preview === undefined ? "" : grouped(preview.count)),
    right: true,
  },
  {
    title: "SIZE",
    cell: ({ preview }) => (preview === undefined ? "" : bytesText(preview.bytes)),
    right: true,
  },
  { title: "OLDEST", cell: ({ preview }) => timeText(preview?.oldest) },
  { title: "NEWEST", cell: ({ preview }) => timeText(preview?.newest) },
  { title: "FROM", cell: (row) => fromText(row) },
  {
    title: "FOR EXAMPLE",
    cell: ({ preview }) => preview?.examples.map((name) => visible(name)).join(", ") ?? "",
    elastic: true,
  },
];

const show = command({
  name: "show",
  flags: { set: texts("--set <setting=duration>"), json: jsonFlag, config: configFlag },
  run: ({ options, terminal }) => {
    const tried = readTried(options.set);
    return withAppliance({ terminal, options }, async ({ dataRetention }) => {
      const rows = await dataRetention.previews(tried);
      printList({ options, terminal }, rows, { columns, none: "no settings", json: shape });
      const names = options.json ? 0 : dataRetention.deletedNames();
      if (names > 0)
        terminal.out.write(`${counted(names, "deleted name is", "deleted names are")} not recorded again.\n`);
    });
  },
});

const restore = appCommand({
  name: "restore",
  arguments: "<name>",
  flags: {},
  async run({ app: { candidates, dataRetention }, args, by, terminal }) {
    const [given = ""] = args;
    const read = readPastedName(given);
    if ("error" in read) throw new UsageError(`${visible(given, 100)} ${read.error}`);
    const { name } = read;
    const restored = await dataRetention.restore(name, by);
    if (restored.length === 0)
      throw new FailedError(`the retention has deleted no threat called ${visible(name, 100)}`);
    const { matches } = await candidates.submit([name], { source: "submission" });
    const ids = matches.flatMap(({ threats }) => threats.map(({ threatId }) => threatId));
    if (ids.length === 0)
      terminal.out.write(`${name} may be recorded again. It resembles no protected domain at present.\n`);
    else for (const id of ids) terminal.out.write(`${id}\n`);
  },
});

function readTried(given: readonly string[]): Map<RetentionRule, number> {
  return new Map(
    given.map((text) => {
      const [name = "", value = ""] = text.split("=", 2);
      const rule = retentionRules.find((one) => one === name);
      const ageMs = parseDuration(value);
      if (rule === undefined || ageMs === null)
        throw new UsageError(
          `--set ${visible(text, 60)}: allowed is a setting (${retentionRules.join(", ")}), "=" and a duration, such as resolved=180d`,
        );
      const { minimumMs, maximumMs } = mainDataAges;
      if (ageMs < minimumMs || ageMs > maximumMs)
        throw new UsageError(
          `--set ${visible(text, 60)}: the duration must be from ${formatDuration(minimumMs)} to ${formatDuration(maximumMs)}`,
        );
      return [rule, ageMs];
    }),
  );
}

function timeText(at: number | null | undefined): string {
  return at === null || at === undefined ? "" : shortTime(at);
}

function fromText({ ageMs, deletesFrom }: RulePreview): string {
  if (ageMs === null) return "";
  return deletesFrom === null ? "24 h after the server reads it" : shortTime(deletesFrom);
}

function shape({ ageMs, deletesFrom, isTried, preview, rule }: RulePreview) {
  return {
    setting: `retention.${rule}`,
    value: ageMs === null ? null : formatDuration(ageMs),
    tried: isTried,
    deletes_from: optionalIsoTime(deletesFrom),
    count: preview?.count ?? 0,
    bytes: preview?.bytes ?? 0,
    oldest: optionalIsoTime(preview?.oldest),
    newest: optionalIsoTime(preview?.newest),
    examples: preview?.examples ?? [],
  };
}

export const retentionCommands: CommandGroup = {
  name: "retention",
  commands: [show, restore],
  unnamed: "show",
};
