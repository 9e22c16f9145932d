import { command, FailedError, UsageError } from "../terminal/command.ts";
import { type CaseChange, type Cases, caseThreatsMax } from "../../response/cases/cases.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { counted } from "../../platform/lib/wording.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { withAppliance } from "../appliance/with-appliance.ts";
import { configFlag, jsonFlag, text, time, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

const idsMax = 100_000;

/** Returns the ids of the arguments; "-" stands for those on standard input. */
export async function readIds(args: readonly string[]): Promise<string[]> {
  const ids = args.filter((id) => id !== "-");
  if (args.includes("-")) ids.push(...(await Bun.stdin.text()).split(/\s+/).filter((id) => id !== ""));
  if (ids.length > idsMax) throw new UsageError(`${ids.length} ids are given; the maximum is ${idsMax}`);
  return ids;
}

const namesShownMax = 20;

export const assignCommand = command({
  name: "assign",
  arguments: "<id...>",
  flags: { to: text("--to <account>"), nobody: toggle("--nobody"), json: jsonFlag, config: configFlag },
  async run({ args, options, terminal }) {
    const { json, nobody, to } = options;
    if ((to === undefined) === !nobody) throw new UsageError("give either --to or --nobody");
    const ids = await readIds(args);
    await withAppliance({ terminal, options }, ({ cases }) => {
      const seq = to === undefined ? null : accountOf(cases, to);
      const by = actorOfShell(terminal.env);
      report(
        terminal,
        changeAll(ids, (part) => cases.assign(part, seq, { by })),
        json,
      );
    });
  },
});

export const dueCommand = command({
  name: "due",
  arguments: "<id...>",
  flags: { at: time("--at <time>"), none: toggle("--none"), json: jsonFlag, config: configFlag },
  async run({ args, options, terminal }) {
    const { at, json, none } = options;
    if ((at === undefined) === !none) throw new UsageError("give either --at or --none");
    const ids = await readIds(args);
    await withAppliance({ terminal, options }, ({ cases }) => {
      const dueAt: Instant | null = at ?? null;
      const by = actorOfShell(terminal.env);
      report(
        terminal,
        changeAll(ids, (part) => cases.setDue(part, dueAt, { by })),
        json,
      );
    });
  },
});

function accountOf(cases: Cases, given: string): number {
  const known = cases.assignees();
  const found = known.find(({ name }) => name === given.toLowerCase());
  if (found !== undefined) return found.seq;
  const names = known.flatMap(({ isAvailable, name }) => (isAvailable ? [name] : []));
  throw new FailedError(
    `there is no account ${visible(given, 60)}; accounts: ${names.slice(0, namesShownMax).join(", ")}`,
  );
}

function changeAll(ids: readonly string[], change: (part: readonly string[]) => CaseChange): CaseChange {
  const distinct = [...new Set(ids)];
  const sum: CaseChange = { changed: 0, unchanged: 0, closed: 0, unknown: 0 };
  for (let from = 0; from < distinct.length; from += caseThreatsMax) {
    const done = change(distinct.slice(from, from + caseThreatsMax));
    for (const key of ["changed", "unchanged", "closed", "unknown"] as const) sum[key] += done[key];
  }
  return sum;
}

function report(terminal: Terminal, result: CaseChange, json: boolean): void {
  const { changed, closed, unchanged, unknown } = result;
  if (json) printJson(terminal.out, result);
  else {
    const notActive = closed === 0 ? "" : `, ${closed} not active`;
    terminal.out.write(`${counted(changed, "threat")} changed, ${unchanged} unchanged${notActive}\n`);
  }
  const given = changed + closed + unchanged + unknown;
  if (unknown > 0) throw new FailedError(`${unknown} of ${given} threats do not exist`);
}
