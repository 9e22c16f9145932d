import type { CommandDefinition, CommandGroup } from "./terminal/command.ts";

/** Renders the commands as a Markdown table for the manual, laid out as the formatter does. */
export function renderCommandTable(commands: readonly (CommandDefinition | CommandGroup)[]): string {
  const rows = commands.flatMap((entry) =>
    "commands" in entry
      ? entry.commands.map((inner) => row(`${entry.name} ${inner.name}`, inner))
      : [row(entry.name, entry)],
  );
  const cells = [["Command", "Description"], ...rows];
  const widths = [0, 1].map((column) => Math.max(...cells.map((line) => line[column]!.length)));
  const render = (line: string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |\n`;
  const [heading, ...body] = cells;
  return [heading!, widths.map((width) => "-".repeat(width)), ...body].map(render).join("");
}

function row(name: string, { arguments: parameters, summary }: CommandDefinition): string[] {
  const usage = parameters === undefined ? name : `${name} ${parameters}`;
  return [`\`${usage}\``, summary].map((cell) => cell.replaceAll("|", "\\|"));
}
