import type { CommandDefinition, CommandGroup } from "./command.ts";
import { importCommand } from "./import.ts";
import { initCommand } from "./init.ts";
import { matchCommand } from "./match.ts";
import { permutationsCommand } from "./permutations.ts";
import { serveCommand } from "./serve.ts";
import { versionCommand } from "./version.ts";

/** All commands, in the order of the help. */
export const commands: (CommandDefinition | CommandGroup)[] = [
  initCommand,
  serveCommand,
  matchCommand,
  permutationsCommand,
  importCommand,
  versionCommand,
];
