import type { Actor } from "../../access/audit/actor.ts";
import type { App } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import { command, type CommandDefinition, type Flag, type OptionsOf } from "../terminal/command.ts";
import { configFlag } from "../terminal/flags.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { actorOfShell } from "./shell-user.ts";
import { withAppliance } from "./with-appliance.ts";

/** A call of a command that opens the appliance. */
export interface AppCall<Flags extends Record<string, Flag<unknown>>> {
  app: App;
  args: string[];
  by: Actor;
  config: Config;
  options: OptionsOf<Flags>;
  terminal: Terminal;
}

/** Defines a command that opens the appliance, with the option `--config`. A server may run at the same time. */
export function appCommand<Flags extends Record<string, Flag<unknown>>>({
  flags,
  run,
  ...definition
}: Omit<CommandDefinition, "flags" | "run"> & {
  flags: Flags;
  run(call: AppCall<Flags>): Promise<void> | void;
}): CommandDefinition {
  return command({
    ...definition,
    flags: { ...flags, config: configFlag },
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options: options as { config: string | undefined } }, (app, config) => {
        const by = actorOfShell(terminal.env);
        return run({ app, args, by, config, options: options as OptionsOf<Flags>, terminal });
      }),
  });
}
