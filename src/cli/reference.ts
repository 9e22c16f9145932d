import type { CommandDefinition, CommandGroup } from "./command.ts";

/** The commands as a Markdown table, for the README. */
export function renderCommandTable(commands: readonly (CommandDefinition | CommandGroup)[]): string {
  const rows = commands.flatMap((entry) =>
    "commands" in entry
      ? entry.commands.map((inner) => row(`${entry.name} ${inner.name}`, inner))
      : [row(entry.name, entry)],
  );
  return ["| Command | What it does |", "|---|---|", ...rows, ""].join("\n");
}

function row(name: string, { arguments: parameters, summary }: CommandDefinition): string {
  const usage = parameters === undefined ? name : `${name} ${parameters}`;
  return `| \`${usage.replaceAll("|", "\\|")}\` | ${summary.replaceAll("|", "\\|")} |`;
}
