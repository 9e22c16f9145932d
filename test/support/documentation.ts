import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

/** A code block of the README or the manual. */
export interface CodeBlock {
  /** Path below the top. */
  file: string;
  /** Number of the first line of code. */
  line: number;
  language: string;
  code: string;
}

/** Paths of the README and of all pages of the manual. */
export const documents = [
  "README.md",
  ...readdirSync(join(root, "src/manual"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `src/manual/${name}`)
    .toSorted(),
];

export function readDocument(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

export function codeBlocks(languages: readonly string[]): CodeBlock[] {
  return documents.flatMap((file) => {
    const text = readDocument(file);
    return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
      .map((match) => ({
        file,
        line: text.slice(0, match.index).split("\n").length + 1,
        language: match[1]!,
        code: match[2]!,
      }))
      .filter(({ language }) => languages.includes(language));
  });
}

/** Returns each call of phishwatch in shell code and in code within sentences, as its arguments. */
export function phishwatchCalls(): { where: string; args: string[] }[] {
  const inBlocks = codeBlocks(["sh", "console"]).flatMap(({ file, line, language, code }) =>
    code.split("\n").flatMap((text, index) => {
      // In a console block, only the lines after a prompt were typed.
      if (language === "console" && !text.startsWith("$ ")) return [];
      return callsIn(text.replace(/^\$ /, "")).map((args) => ({ where: `${file}:${line + index}`, args }));
    }),
  );
  const inSentences = documents.flatMap((file) => {
    const text = readDocument(file).replaceAll(/^```[^]*?^```$/gm, "");
    return [...text.matchAll(/`(phishwatch [^`<]+)`/g)].flatMap(([, code]) =>
      callsIn(code!).map((args) => ({ where: `${file}: ${code}`, args })),
    );
  });
  return [...inBlocks, ...inSentences];
}

/** Splits a line into its commands and returns the arguments of those that run phishwatch. */
function callsIn(line: string): string[][] {
  return wordsOf(line)
    .filter(([first, second]) => /(^|\/)phishwatch$/.test(first ?? "") && second !== undefined)
    .map((words) => words.slice(1));
}

/** Splits shell code into commands and words. Understands quotes, comments, operators and redirections. */
function wordsOf(line: string): string[][] {
  const tokens = line.match(/'[^']*'|"[^"]*"|&&|\|\||[|;&]|>\s*\S+|(?:(?<=\s|^)#.*)|[^\s'"|;&>]+/g) ?? [];
  const commands: string[][] = [[]];
  for (const token of tokens) {
    if (token.startsWith("#")) break;
    if (/^[|;&]+$/.test(token)) commands.push([]);
    else if (!token.startsWith(">")) commands.at(-1)!.push(token.replaceAll(/^['"]|['"]$/g, ""));
  }
  return commands;
}
