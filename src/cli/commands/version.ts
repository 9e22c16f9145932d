import { buildInfo, versionText } from "../../platform/lib/build-info.ts";
import { command } from "../terminal/command.ts";
import { jsonFlag } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";

export const versionCommand = command({
  name: "version",
  flags: { json: jsonFlag },
  run({ options, terminal: { out } }) {
    const { version, commit, bunVersion } = buildInfo;
    if (options.json) printJson(out, { version, commit, bun_version: bunVersion });
    else out.write(`${versionText}\n`);
  },
});
