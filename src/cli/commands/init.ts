import { closeSync, openSync, writeSync } from "node:fs";
import { renderExample } from "../../platform/config/render.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { defaultConfigPath } from "../appliance/configuration.ts";
import { command, FailedError, UsageError } from "../terminal/command.ts";
import { codeOf } from "../../platform/lib/errors.ts";

export const initCommand = command({
  name: "init",
  arguments: "[file]",
  details: `Writes ${defaultConfigPath} by default. Never overwrites an existing file.`,
  flags: {},
  examples: [
    ["phishwatch init", `write ${defaultConfigPath} into this folder`],
    ["phishwatch init /etc/phishwatch/phishwatch.toml", "write it elsewhere"],
  ],
  async run({ args, terminal }) {
    const [path = defaultConfigPath] = args;
    if (path === "") throw new UsageError("the file name is empty");
    let file: number;
    try {
      // Readable by its owner only, because it may come to contain secrets.
      file = openSync(path, "wx", 0o600);
    } catch (error) {
      throw new FailedError(failureText(path, codeOf(error) ?? String(error)));
    }
    writeSync(file, renderExample());
    closeSync(file);
    terminal.err.write(
      `wrote ${visible(path, 1_000)}; add your domains to it, then run 'phishwatch serve'\n`,
    );
  },
});

function failureText(path: string, code: string): string {
  if (code === "EEXIST") return `${path} already exists; choose another file name or move the file away`;
  if (code === "ENOENT") return `${path} cannot be written: its folder does not exist`;
  if (code === "EACCES" || code === "EROFS") return `${path} cannot be written: permission denied`;
  return `${path} cannot be written (${code})`;
}
