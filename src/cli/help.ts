import { nearest } from "../platform/config/nearest.ts";
import { findManualPage, type ManualPage, manualPages } from "../manual/manual.ts";
import { commandEntries, loadAllCommands } from "./commands.ts";
import { type CommandDefinition, type CommandGroup, UsageError } from "./terminal/command.ts";
import { describe, type DescribedCommand } from "./terminal/help-texts.ts";
import type { Terminal } from "./terminal/terminal.ts";

const defaultColumns = 80;

/**
 * Handles `phishwatch help WORDS`: prints the page of the manual if the words name a topic. Otherwise returns the
 * arguments that print the help of the command that they name.
 * @throws UsageError if they name neither
 */
export async function openHelp(words: string[], terminal: Terminal): Promise<string[] | undefined> {
  const [topic, ...rest] = words;
  if (topic === undefined) return ["--help"];
  const page = rest.length === 0 ? findManualPage(topic) : undefined;
  if (page === undefined) return [...(await findCommand(words)), "--help"];
  const { out, err } = terminal;
  out.write(out.isTerminal ? formatted(page, out.columns ?? defaultColumns) : page.text);
  out.flush();
  if (commandEntries.some(({ name }) => name === topic))
    err.write(`For the options of the command: phishwatch ${topic} --help\n`);
  return undefined;
}

/** Returns the words if they name a command or a group of commands. */
async function findCommand([name = "", inner, ...extra]: string[]): Promise<string[]> {
  const commands = await loadAllCommands();
  const isNamed = (wanted: string) => (one: { name: string; aliases?: readonly string[] }) =>
    one.name === wanted || one.aliases?.includes(wanted) === true;
  const entry = commands.find(isNamed(name));
  if (entry === undefined && findManualPage(name) !== undefined)
    throw new UsageError(`'${name}' is a topic, not a command. Run 'phishwatch help ${name}'.`);
  if (entry === undefined) {
    const known = [...manualPages.map(({ topic }) => topic), ...commands.map((one) => one.name)];
    throw unknown("topic or command", name, known, "help");
  }
  if (inner === undefined) return [name];
  const group = "commands" in entry ? entry.commands : [];
  if (extra.length > 0 || !group.some(isNamed(inner))) {
    const wanted = [name, inner, ...extra].join(" ");
    throw unknown(
      "command",
      wanted,
      group.map((one) => `${entry.name} ${one.name}`),
      `help ${entry.name}`,
    );
  }
  return [name, inner];
}

function unknown(what: string, given: string, known: string[], list: string): UsageError {
  const similar = nearest(given, known);
  const hint = similar === undefined ? "" : ` Did you mean '${similar}'?`;
  return new UsageError(`there is no ${what} '${given}'.${hint} For a list, run 'phishwatch ${list}'.`);
}

/** Formats a page for a terminal. A link to another page becomes the command that prints it. */
function formatted({ text }: ManualPage, columns: number): string {
  const withCommands = text.replaceAll(
    /\[([^\]]+)\]\(([a-z-]+)\.md(?:#[\w-]+)?\)/g,
    (_link, title: string, topic: string) => `${title} (\`phishwatch help ${topic}\`)`,
  );
  return Bun.markdown.ansi(withCommands, { columns });
}

/** Renders the commands as a Markdown table for the manual, laid out as the formatter does. */
export function renderCommandTable(commands: readonly (CommandDefinition | CommandGroup)[]): string {
  const rows = commands
    .map(describe)
    .flatMap((entry) =>
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

function row(name: string, { arguments: parameters, summary }: DescribedCommand): string[] {
  const usage = parameters === undefined ? name : `${name} ${parameters}`;
  return [`\`${usage}\``, summary].map((cell) => cell.replaceAll("|", "\\|"));
}
