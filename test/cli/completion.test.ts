import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { print } from "../../scripts/packaging/print.ts";
import { loadAllCommands } from "../../src/cli/commands.ts";
import { flatten, modelOf } from "../../src/cli/completion/model.ts";
import { temporaryFolder } from "../support/appliance.ts";
import { findCommand } from "../support/programs.ts";
import { runInProcess } from "../support/run-in-process.ts";
import { until } from "../support/until.ts";

const prompt = "ready> ";
/** Prints the words that the command is given. */
const printer = `phishwatch() { printf '[%s]' "$@"; echo; }`;

/** Each shell with its first script, in `file`, and the arguments with which it runs it. */
const shells = [
  {
    shell: "bash",
    file: "bashrc",
    args: (file: string) => ["--rcfile", file, "-i"],
    script: `${printer}; PS1='${prompt}'`,
  },
  {
    shell: "zsh",
    file: ".zshrc",
    args: () => ["-d", "-i"],
    script: `autoload -U compinit; compinit -u -D; ${printer}; PS1='${prompt}'; unsetopt zle_bracketed_paste`,
  },
  {
    shell: "fish",
    file: "config.fish",
    args: (file: string) => ["--no-config", "--init-command", `source ${file}`, "-i"],
    script: `function phishwatch; printf '[%s]' $argv; echo; end; function fish_prompt; echo -n '${prompt}'; end`,
  },
] as const;

/** Text that is typed before the tabulator, and the words that the command is given then. */
const cases: [typed: string, words: string[]][] = [
  ["thre", ["threats"]],
  ["threats expo", ["threats", "export"]],
  ["threats list --stat", ["threats", "list", "--status"]],
  ["threats list --status fals", ["threats", "list", "--status", "false_positive"]],
  ["threats list --status=fals", ["threats", "list", "--status=false_positive"]],
  ["keys create --scope threats:w", ["keys", "create", "--scope", "threats:write"]],
  ["tokens cre", ["tokens", "create"]],
  ["serve --config FOLDER/my-conf", ["serve", "--config", "FOLDER/my-config.toml"]],
  ["import --format csv FOLDER/my-conf", ["import", "--format", "csv", "FOLDER/my-config.toml"]],
  ["honeytokens create do", ["honeytokens", "create", "document"]],
  ["completion zs", ["completion", "zsh"]],
  ["help whats", ["help", "whats-new"]],
];

describe.each(shells)("completion in $shell", ({ shell, file, args, script }) => {
  const command = findCommand(shell);
  let folder: ReturnType<typeof temporaryFolder>;
  let output = "";
  let seen = 0;
  let running: Bun.Subprocess | undefined;

  /** Waits for a text in the output that has not been seen yet. */
  async function next(text: string): Promise<void> {
    await until(() => output.includes(text, seen), `${shell} prints ${text}`);
    seen = output.indexOf(text, seen) + text.length;
  }

  beforeAll(async () => {
    folder = temporaryFolder();
    writeFileSync(join(folder.path, "my-config.toml"), "");
    if (command === undefined) return;
    const path = join(folder.path, file);
    writeFileSync(path, `${script}\n${(await runInProcess(["completion", shell])).out}`);
    const decoder = new TextDecoder();
    running = Bun.spawn([...command, ...args(path)], {
      cwd: folder.path,
      env: { PATH: process.env["PATH"]!, HOME: folder.path, ZDOTDIR: folder.path, TERM: "dumb" },
      terminal: {
        cols: 1_000,
        rows: 50,
        data: (_, data) => void (output += decoder.decode(data, { stream: true })),
      },
    });
    await next(prompt);
    expect(output).not.toMatch(/invalid|error/i);
  });
  afterAll(() => {
    running?.kill("SIGKILL");
    running?.terminal?.close();
    folder.dispose();
  });

  test.if(command !== undefined).each(cases)("completes `phishwatch %s`", async (typed, words) => {
    const local = (text: string) => text.replace("FOLDER", folder.path);
    running!.terminal!.write(`phishwatch ${local(typed)}\t\r`);
    await next(`${words.map((word) => `[${local(word)}]`).join("")}\r\n`);
    // A shell may discard what is typed before its prompt.
    await next(prompt);
  });
});

describe("`completion`", () => {
  test("knows every command and option of the help", async () => {
    const commands = await loadAllCommands();
    const known = flatten(modelOf(commands, []));
    for (const { paths, command } of known) {
      if (command.name === "help") continue;
      const { out } = await runInProcess([...paths[0]!.split(" "), "--help"]);
      const shown = [...out.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, name]) => name!);
      expect([paths[0], command.options.map(({ long }) => long).sort()]).toEqual([paths[0], shown.sort()]);
    }
    expect(known.length).toBeGreaterThan(80);
  });

  test("rejects a shell that it does not know", async () => {
    const { code, err } = await runInProcess(["completion", "powershell"]);
    expect([code, err]).toEqual([
      2,
      'phishwatch: the shell must be one of bash, zsh, fish, not "powershell"\n',
    ]);
  });
});

test.if(findCommand("mandoc") !== undefined)(
  "the manual page of a release is valid, and describes every option with its value",
  async () => {
    const page = await print(["man"]);
    const run = (...args: string[]) =>
      Bun.spawnSync([...findCommand("mandoc")!, ...args], { stdin: Buffer.from(page) }).stdout.toString();
    expect(run("-Tlint")).toBe("");
    const text = run("-Thtml")
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll(/\s+/g, " ");
    expect(text).toContain("phishwatch threats list List threats, newest first. --domain domain only ");
    expect(text).toContain("--config file");
    for (const topic of ["service", "whats-new"]) expect(text).toContain(topic);
  },
);
