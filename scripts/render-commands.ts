/** Updates the manual's table of commands. Run it after a change to a command's name, arguments or summary. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadAllCommands } from "../src/cli/commands.ts";
import { renderCommandTable } from "../src/cli/help.ts";

const commands = await loadAllCommands();
const path = join(import.meta.dir, "../src/manual/operate.md");
const text = readFileSync(path, "utf8");
const region = /(?<=<!-- commands -->\n)[^]*?(?=<!-- end of commands -->)/;
writeFileSync(
  path,
  text.replace(region, () => `\n${renderCommandTable(commands)}\n`),
);
