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

/** All commands, in the order of the help. */
export const commandEntries: CommandEntry[] = [
  { name: "init", load: async () => (await import("./commands/init.ts")).initCommand },
  { name: "check", load: async () => (await import("./commands/check.ts")).checkCommand },
  { name: "serve", load: async () => (await import("./commands/serve.ts")).serveCommand },
  { name: "service", load: async () => (await import("./commands/service.ts")).serviceCommands },
  { name: "reload", load: async () => (await import("./commands/reload.ts")).reloadCommand },
  { name: "match", load: async () => (await import("./commands/match.ts")).matchCommand },
  {
    name: "permutations",
    load: async () => (await import("./commands/permutations.ts")).permutationsCommand,
  },
  { name: "import", load: async () => (await import("./commands/import.ts")).importCommand },
  { name: "search", load: async () => (await import("./commands/search.ts")).searchCommand },
  { name: "inspect", load: async () => (await import("./commands/inspect.ts")).inspectCommand },
  { name: "scan", load: async () => (await import("./commands/scan.ts")).scanCommand },
  { name: "campaigns", load: async () => (await import("./commands/campaigns.ts")).campaignsCommands },
  { name: "threats", load: async () => (await import("./commands/threats.ts")).threatsCommands },
  { name: "takedowns", load: async () => (await import("./commands/takedowns.ts")).takedownsCommands },
  { name: "domains", load: async () => (await import("./commands/domains.ts")).domainsCommands },
  { name: "feeds", load: async () => (await import("./commands/feeds.ts")).feedsCommands },
  {
    name: "certificate-logs",
    load: async () => (await import("./commands/certificate-logs.ts")).certificateLogsCommands,
  },
  { name: "users", load: async () => (await import("./commands/users.ts")).usersCommands },
  { name: "keys", load: async () => (await import("./commands/keys.ts")).keysCommands },
  { name: "webhooks", load: async () => (await import("./commands/webhooks.ts")).webhooksCommands },
  { name: "channels", load: async () => (await import("./commands/channels.ts")).channelsCommands },
  {
    name: "subscriptions",
    load: async () =>
      usual(
        (await import("../messaging/subscriptions/subscriptions/presentation.ts")).subscriptionPresentation,
      ),
  },
  { name: "lists", load: async () => (await import("./commands/block-lists.ts")).blockListCommands },
  ...trapKindNames.map((kind) => ({
    name: `${kind}s`,
    load: async () => (await import("./commands/traps.ts")).trapCommands(kind),
  })),
  { name: "database", load: async () => (await import("./commands/database.ts")).databaseCommands },
  { name: "data", load: async () => (await import("./commands/data.ts")).dataCommands },
  { name: "backup", load: async () => (await import("./commands/backup.ts")).backupCommand },
  { name: "backups", load: async () => (await import("./commands/backups.ts")).backupsCommands },
  { name: "retention", load: async () => (await import("./commands/retention.ts")).retentionCommands },
  { name: "restore", load: async () => (await import("./commands/restore.ts")).restoreCommand },
  { name: "standby", load: async () => (await import("./commands/standby.ts")).standbyCommands },
  {
    name: "monitoring",
    load: async () => (await import("./commands/monitoring.ts")).monitoringCommands,
  },
  { name: "client", load: async () => (await import("./commands/client.ts")).clientCommand },
  { name: "openapi", load: async () => (await import("./commands/openapi.ts")).openapiCommand },
  { name: "demo", load: async () => (await import("./commands/demo.ts")).demoCommand },
  { name: "sandbox", load: async () => (await import("./commands/sandbox.ts")).sandboxCommand },
  {
    name: "completion",
    load: async () => (await import("./commands/completion.ts")).completionCommand,
  },
  { name: "man", load: async () => (await import("./commands/completion.ts")).manCommand },
  { name: "version", load: async () => (await import("./commands/version.ts")).versionCommand },
];

/** Loads the definitions of all commands, for help, completion and documentation. */
export function loadAllCommands(): Promise<(CommandDefinition | CommandGroup)[]> {
  return Promise.all(commandEntries.map((entry) => entry.load()));
}
