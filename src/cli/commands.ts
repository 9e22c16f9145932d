import type { CommandDefinition, CommandGroup } from "./terminal/command.ts";
import { backupCommand } from "./commands/backup.ts";
import { beaconsCommands } from "./commands/beacons.ts";
import { checkCommand } from "./commands/check.ts";
import { domainsCommands } from "./commands/domains.ts";
import { feedsCommands } from "./commands/feeds.ts";
import { importCommand } from "./commands/import.ts";
import { initCommand } from "./commands/init.ts";
import { keysCommands } from "./commands/keys.ts";
import { matchCommand } from "./commands/match.ts";
import { permutationsCommand } from "./commands/permutations.ts";
import { restoreCommand } from "./commands/restore.ts";
import { sandboxCommand } from "./commands/sandbox.ts";
import { scanCommand } from "./commands/scan.ts";
import { serveCommand } from "./commands/serve.ts";
import { threatsCommands } from "./commands/threats.ts";
import { tokensCommands } from "./commands/honeytokens.ts";
import { versionCommand } from "./commands/version.ts";
import { webhooksCommands } from "./commands/webhooks.ts";

/** All commands, in the order of the help. */
export const commands: (CommandDefinition | CommandGroup)[] = [
  initCommand,
  checkCommand,
  serveCommand,
  matchCommand,
  permutationsCommand,
  importCommand,
  scanCommand,
  threatsCommands,
  domainsCommands,
  feedsCommands,
  keysCommands,
  webhooksCommands,
  beaconsCommands,
  tokensCommands,
  backupCommand,
  restoreCommand,
  sandboxCommand,
  versionCommand,
];
