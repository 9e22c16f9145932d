import type { Actor } from "../../access/audit/actor.ts";
import type { App } from "../../app/app.ts";
import { command, type CommandDefinition } from "../terminal/command.ts";
import { configFlag } from "../terminal/flags.ts";
import { actorOfShell } from "./shell-user.ts";
import { withAppliance } from "./with-appliance.ts";

/** Defines a command that enables or disables one object, and says which one. */
export function switchCommand({
  change,
  ...definition
}: Pick<CommandDefinition, "details" | "examples" | "summary"> & {
  name: "enable" | "disable";
  /** In commander's syntax, such as `<channel>`. */
  arguments: string;
  /** @throws PublicError `not_found`, or `bad_request` with what to change */
  change(app: App, idOrName: string, options: { by: Actor }): { id: string; name: string };
}): CommandDefinition {
  return command({
    ...definition,
    flags: { config: configFlag },
    run: ({ args, options, terminal }) =>
      withAppliance({ terminal, options }, (app) => {
        const { id, name } = change(app, args[0] ?? "", { by: actorOfShell(terminal.env) });
        terminal.err.write(`${definition.name}d ${name} (${id})\n`);
      }),
  });
}
