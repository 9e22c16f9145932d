import { renderExample } from "../../config/render.ts";
import { closeSync, openSync, writeSync } from "node:fs";
import { visible } from "../../lib/safe-text.ts";
import { command, UsageError } from "../terminal/command.ts";
import { defaultConfigPath } from "../appliance/configuration.ts";
import { FailedError } from "../terminal/failure.ts";

export const initCommand = command({
  name: "init",
  arguments: "[file]",
  summary: "write a commented configuration to start from",
  details: `Writes ${defaultConfigPath} unless another name is given. A file that exists is never overwritten.`,
  flags: {},
  examples: [
    ["phishwatch init", `write ${defaultConfigPath} into this folder`],
    ["phishwatch init /etc/phishwatch/phishwatch.toml", "write it elsewhere"],
  ],
  async run({ args, terminal }) {
    const [path = defaultConfigPath] = args;
    if (path === "") throw new UsageError("the file's name is empty");
    let file: number;
    try {
      // Readable by its owner alone: secrets may come to stand in it.
      file = openSync(path, "wx", 0o600);
    } catch (error) {
      throw new FailedError(whyNot(path, (error as { code?: string }).code ?? String(error)));
    }
    writeSync(file, renderExample());
    closeSync(file);
    terminal.err.write(
      `wrote ${visible(path, 1_000)}: put your domains into it, then start with 'phishwatch serve'\n`,
    );
  },
});

function whyNot(path: string, code: string): string {
  if (code === "EEXIST")
    return `${path} exists already and is left as it is; name another file or move it away`;
  if (code === "ENOENT") return `${path} cannot be written: its folder does not exist`;
  if (code === "EACCES" || code === "EROFS")
    return `${path} cannot be written: this user may not write there`;
  return `${path} cannot be written (${code})`;
}
