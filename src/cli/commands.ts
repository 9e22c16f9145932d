import type { CommandDefinition, CommandGroup } from "./command.ts";
import { domainsCommands } from "./domains.ts";
import { importCommand } from "./import.ts";
import { initCommand } from "./init.ts";
import { keysCommands } from "./keys.ts";
import { matchCommand } from "./match.ts";
import { permutationsCommand } from "./permutations.ts";
import { serveCommand } from "./serve.ts";
import { threatsCommands } from "./threats.ts";
import { versionCommand } from "./version.ts";

/** All commands, in the order of the help. */
export const commands: (CommandDefinition | CommandGroup)[] = [
  initCommand,
  serveCommand,
  matchCommand,
  permutationsCommand,
  importCommand,
  threatsCommands,
  domainsCommands,
  keysCommands,
  versionCommand,
];
