import type { LogEvent } from "./event.ts";

/** Events of the configuration file while the server runs. */
export const reloadEvents = {
  "config.reloaded": {
    level: "info",
    text: "configuration reloaded",
    description:
      "The configuration file was loaded again, and everything that can change while the server runs was applied.",
    advice: "If `restart` names keys, restart the server to apply them.",
    fields: ["applied", "restart"],
    optional: ["count"],
  },
  "config.reload_failed": {
    level: "error",
    text: "configuration not reloaded",
    description: "The changed configuration file cannot be applied. Nothing was changed.",
    advice: "Correct the file: each entry of `errors` says what to change.",
    fields: ["errors"],
  },
  "server.state_not_written": {
    level: "warn",
    text: "state of the server could not be written",
    description:
      "The file next to the database that `phishwatch reload` and `phishwatch check` read could not be written.",
    advice: "Check the permissions of the folder, and the disk.",
    fields: ["error"],
  },
} as const satisfies Record<string, LogEvent>;
