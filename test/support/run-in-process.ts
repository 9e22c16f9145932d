import { runCommandLine } from "../../src/cli/program.ts";
import type { Output, Terminal } from "../../src/cli/terminal/terminal.ts";
import { listsVersion } from "../../src/platform/lib/lists/list-texts.ts";

/** Returns the environment of a command that starts no thread. */
export function terminalWith(outputs: Pick<Terminal, "out" | "err">): Terminal {
  return {
    ...outputs,
    inputIsTerminal: false,
    env: {},
    interruption: () => new AbortController().signal,
    threads: {
      threads: 1,
      startWorker: () => {
        throw new Error("this command starts no thread");
      },
    },
  };
}

/**
 * Runs a command that needs no thread in this process, as on a terminal or with redirected output.
 * @throws if the command has replaced the embedded lists, also for the files that are tested next in this process
 */
export async function runInProcess(args: string[], { isTerminal = false } = {}) {
  const written = { out: "", err: "" };
  const output = (name: "out" | "err"): Output => ({
    write: (text) => void (written[name] += text),
    flush() {},
    isTerminal,
    columns: isTerminal ? 60 : undefined,
  });
  const terminal = terminalWith({ out: output("out"), err: output("err") });
  const code = await runCommandLine(args, terminal);
  if (listsVersion() !== null) throw new Error("a command that uses a data update needs its own process");
  return { code, ...written };
}
