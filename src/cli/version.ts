import { buildInfo } from "../lib/build-info.ts";
import { command } from "./command.ts";
import { jsonFlag } from "./flags.ts";
import { printJson } from "./table.ts";

export const versionCommand = command({
  name: "version",
  summary: "print version, commit and Bun version",
  flags: { json: jsonFlag },
  examples: [["phishwatch version", "what to name in a report of a fault"]],
  run({ options, terminal: { out } }) {
    const { version, commit, bunVersion } = buildInfo;
    if (options.json) printJson(out, { version, commit, bun_version: bunVersion });
    else out.write(`phishwatch ${version} (commit ${commit}, Bun ${bunVersion})\n`);
  },
});
