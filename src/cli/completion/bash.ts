import { fillIn } from "../../platform/lib/wording.ts";
import { flatten, type CommandModel, type ValueModel } from "./model.ts";
import script from "./phishwatch.bash" with { type: "text" };

/** Stands for the paths of files in the script. */
const pathMark = "@path";

/** Renders the completion for bash 3.2 or later. It needs no other package. */
export function renderBash(commands: readonly CommandModel[]): string {
  const groups = commands.filter((command) => command.commands.length > 0);
  const all = flatten(commands);
  const lists = [
    arm([""], commands.map(({ name }) => name).join(" ") + " --help --version"),
    ...groups.map((group) =>
      arm([group.name, ...group.aliases], [...group.commands.map(({ name }) => name), "--help"].join(" ")),
    ),
  ];
  const options = all.map(({ paths, command }) =>
    arm(paths, command.options.map(({ long }) => long).join(" ")),
  );
  const values = all.flatMap(({ paths, command }) =>
    command.options.flatMap(({ short, long, value }) => {
      if (value === undefined) return [];
      const names = short === undefined ? [long] : [long, short];
      return [
        arm(
          paths.flatMap((path) => names.map((name) => `${path} ${name}`)),
          wordsOf(value),
        ),
      ];
    }),
  );
  const operands = all.flatMap(({ paths, command }) => {
    const words = [...new Set(command.arguments.map(wordsOf))].filter((text) => text !== "");
    return words.length === 0 ? [] : [arm(paths, words.join(" "))];
  });
  return fillIn(script, {
    lists: lists.join("\n"),
    options: options.join("\n"),
    values: values.join("\n"),
    operands: operands.join("\n"),
  });
}

function wordsOf({ choices, isPath }: ValueModel): string {
  return isPath ? pathMark : choices.join(" ");
}

function arm(patterns: readonly string[], words: string): string {
  return `    ${patterns.map(quote).join(" | ")}) echo ${quote(words)} ;;`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
