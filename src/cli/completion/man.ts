import { buildDate, buildInfo } from "../../platform/lib/build-info.ts";
import { fillIn } from "../../platform/lib/wording.ts";
import { flatten, type CommandModel, type OptionModel } from "./model.ts";
import page from "./phishwatch.man" with { type: "text" };

/** Renders the manual page in the format of man(7). */
export function renderManPage(commands: readonly CommandModel[], topics: readonly string[]): string {
  return fillIn(page, {
    date: buildDate,
    version: escape(buildInfo.version),
    commands: flatten(commands).map(commandText).join("\n"),
    topics: escape(topics.join(", ")),
  })
    .split("\n")
    .map(fold)
    .join("\n");
}

/** Lines that are longer are folded between words. */
const lineLengthMax = 80;

function fold(line: string): string {
  if (line.startsWith(".")) return line;
  const lines: string[] = [];
  for (const word of line.split(" ")) {
    const last = lines.at(-1);
    // A line must not begin with the first character of a macro.
    const mustStay = /^[.']/.test(word);
    if (last === undefined || (last.length + 1 + word.length > lineLengthMax && !mustStay)) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join("\n");
}

function commandText({ paths: [path = ""], command }: { paths: string[]; command: CommandModel }): string {
  const operands = command.arguments.map(({ name, repeatable }) => `${name}${repeatable ? " ..." : ""}`);
  const lines = [
    `.SS "phishwatch ${escape([path, ...operands].join(" "))}"`,
    `${escape(capitalize(command.summary))}.`,
    ...command.options.filter(({ long }) => long !== "--help").map(optionText),
  ];
  return lines.join("\n");
}

function optionText({ short, long, description, value }: OptionModel): string {
  const names = (short === undefined ? [long] : [short, long]).map((name) => `\\fB${escape(name)}\\fR`);
  const shown = value === undefined ? "" : ` \\fI${escape(value.name)}\\fR`;
  return `.TP\n${names.join(", ")}${shown}\n${escape(description)}`;
}

function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** A line that starts with a period or an apostrophe would be a macro. */
function escape(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll("…", "...")
    .replace(/^[.']/, "\\&$&");
}
