import type { EntryPresentation, Named } from "../access/entries/presentation.ts";
import type { App } from "../app/app.ts";
import { trapKindNames } from "../platform/vocabulary/traps.ts";
import type { CommandDefinition, CommandGroup } from "./terminal/command.ts";

/**
 * A command's name and the file that defines it. The file is loaded only if the command is needed: loading all of
 * them takes 20 ms, a quarter of the startup of `serve`.
 */
export interface CommandEntry {
  name: string;
  load(): Promise<CommandDefinition | CommandGroup>;
}

/** Returns the commands of entries that need no others than the usual ones. */
async function usual<E extends Named>(presentation: EntryPresentation<E, App>): Promise<CommandGroup> {
  return (await import("./entries/entry-commands.ts")).entryCommands(presentation);
}

const loaders: Record<string, CommandEntry["load"]> = {
  init: async () => (await import("./commands/init.ts")).initCommand,
  check: async () => (await import("./commands/check.ts")).checkCommand,
  serve: async () => (await import("./commands/serve.ts")).serveCommand,
  service: async () => (await import("./commands/service.ts")).serviceCommands,
  reload: async () => (await import("./commands/reload.ts")).reloadCommand,
  match: async () => (await import("./commands/match.ts")).matchCommand,
  permutations: async () => (await import("./commands/permutations.ts")).permutationsCommand,
  import: async () => (await import("./commands/import.ts")).importCommand,
  search: async () => (await import("./commands/search.ts")).searchCommand,
  inspect: async () => (await import("./commands/inspect.ts")).inspectCommand,
  scan: async () => (await import("./commands/scan.ts")).scanCommand,
  campaigns: async () => (await import("./commands/campaigns.ts")).campaignsCommands,
  threats: async () => (await import("./commands/threats.ts")).threatsCommands,
  takedowns: async () => (await import("./commands/takedowns.ts")).takedownsCommands,
  domains: async () => (await import("./commands/domains.ts")).domainsCommands,
  feeds: async () => (await import("./commands/feeds.ts")).feedsCommands,
  "certificate-logs": async () => (await import("./commands/certificate-logs.ts")).certificateLogsCommands,
  users: async () => (await import("./commands/users.ts")).usersCommands,
  keys: async () => (await import("./commands/keys.ts")).keysCommands,
  webhooks: async () => (await import("./commands/webhooks.ts")).webhooksCommands,
  channels: async () => (await import("./commands/channels.ts")).channelsCommands,
  subscriptions: async () =>
    usual(
      (await import("../messaging/subscriptions/subscriptions/presentation.ts")).subscriptionPresentation,
    ),
  lists: async () => (await import("./commands/block-lists.ts")).blockListCommands,
  ...Object.fromEntries(
    trapKindNames.map((kind) => [
      `${kind}s`,
      async () => (await import("./commands/traps.ts")).trapCommands(kind),
    ]),
  ),
  database: async () => (await import("./commands/database.ts")).databaseCommands,
  data: async () => (await import("./commands/data.ts")).dataCommands,
  backup: async () => (await import("./commands/backup.ts")).backupCommand,
  backups: async () => (await import("./commands/backups.ts")).backupsCommands,
  retention: async () => (await import("./commands/retention.ts")).retentionCommands,
  restore: async () => (await import("./commands/restore.ts")).restoreCommand,
  standby: async () => (await import("./commands/standby.ts")).standbyCommands,
  monitoring: async () => (await import("./commands/monitoring.ts")).monitoringCommands,
  client: async () => (await import("./commands/client.ts")).clientCommand,
  openapi: async () => (await import("./commands/openapi.ts")).openapiCommand,
  demo: async () => (await import("./commands/demo.ts")).demoCommand,
  sandbox: async () => (await import("./commands/sandbox.ts")).sandboxCommand,
  completion: async () => (await import("./commands/completion.ts")).completionCommand,
  man: async () => (await import("./commands/completion.ts")).manCommand,
  version: async () => (await import("./commands/version.ts")).versionCommand,
};

/** All commands, in the order of the help. */
export const commandEntries: CommandEntry[] = Object.entries(loaders).map(([name, load]) => ({ name, load }));

/** Loads the definitions of all commands, for help, completion and documentation. */
export function loadAllCommands(): Promise<(CommandDefinition | CommandGroup)[]> {
  return Promise.all(commandEntries.map((entry) => entry.load()));
}
