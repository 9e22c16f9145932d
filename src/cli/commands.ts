import type { CommandDefinition, CommandGroup } from "./command.ts";
import { backupCommand } from "./backup.ts";
import { beaconsCommands } from "./beacons.ts";
import { checkCommand } from "./check.ts";
import { domainsCommands } from "./domains.ts";
import { feedsCommands } from "./feeds.ts";
import { importCommand } from "./import.ts";
import { initCommand } from "./init.ts";
import { keysCommands } from "./keys.ts";
import { matchCommand } from "./match.ts";
import { permutationsCommand } from "./permutations.ts";
import { restoreCommand } from "./restore.ts";
import { sandboxCommand } from "./sandbox.ts";
import { scanCommand } from "./scan.ts";
import { serveCommand } from "./serve.ts";
import { threatsCommands } from "./threats.ts";
import { tokensCommands } from "./tokens.ts";
import { versionCommand } from "./version.ts";
import { webhooksCommands } from "./webhooks.ts";

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
