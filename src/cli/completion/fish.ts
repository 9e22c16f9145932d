import { fillIn } from "../../platform/lib/wording.ts";
import { flatten, type CommandModel, type ValueModel } from "./model.ts";
import script from "./phishwatch.fish" with { type: "text" };

/** Renders the completion for fish 3 or later. */
export function renderFish(commands: readonly CommandModel[]): string {
  const groups = commands.filter((command) => command.commands.length > 0);
  const groupNames = groups.flatMap(({ name, aliases }) => [name, ...aliases]);
  const lines = [
    ...commands.map(({ name, summary }) => line([""], ["-f", "-a", name, "-d", summary])),
    line([""], ["-f", "-s", "h", "-l", "help", "-d", "display help for command"]),
    line([""], ["-f", "-s", "V", "-l", "version", "-d", "print version, commit and Bun version"]),
    ...groups.flatMap(({ name, aliases, commands: inner }) =>
      inner.map((command) => line([name, ...aliases], ["-f", "-a", command.name, "-d", command.summary])),
    ),
    ...flatten(commands).flatMap(({ paths, command }) => [
      ...command.options.map(({ short, long, description, value }) =>
        line(paths, [
          ...(short === undefined ? [] : ["-s", short.slice(1)]),
          "-l",
          long.slice(2),
          "-d",
          description,
          ...(value === undefined ? [] : valueArguments(value)),
        ]),
      ),
      ...command.arguments.map((argument) => line(paths, operandArguments(argument))),
    ]),
  ];
  return fillIn(script, { groups: groupNames.map(quote).join(" "), lines: lines.join("\n") });
}

function line(paths: readonly string[], args: readonly string[]): string {
  const condition = `__phishwatch_at ${paths.map(quote).join(" ")}`;
  return ["complete -c phishwatch -n", quote(condition), ...args.map(word)].join(" ");
}

function valueArguments(value: ValueModel): string[] {
  if (value.isPath) return ["-r", "-F"];
  return value.choices.length === 0 ? ["-x"] : ["-x", "-a", value.choices.join(" ")];
}

function operandArguments({ isPath, choices }: ValueModel): string[] {
  if (isPath) return ["-F"];
  return choices.length === 0 ? ["-f"] : ["-f", "-a", choices.join(" ")];
}

function word(text: string): string {
  return /^[\w-]+$/.test(text) ? text : quote(text);
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
