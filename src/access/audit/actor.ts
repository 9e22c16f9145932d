import { visible } from "../../lib/safe-text.ts";

/** From where somebody acts; `system`: the appliance itself, as in a reactivation or what the file declares. */
export const vias = ["console", "api", "command_line", "configuration", "system"] as const;

/** Who does something, kept with what was done. */
export interface Actor {
  via: (typeof vias)[number];
  /** The API key's name, the user of the shell; null: there is only one, or nobody. */
  name: string | null;
  /** The client's address; null: none, or not known. */
  address: string | null;
}

/** What happens by itself, as a name that comes back to life. */
export const itself: Actor = { via: "system", name: null, address: null };

/** What the configuration file declares takes effect at a start. */
export const configurationFile: Actor = { via: "configuration", name: null, address: null };

/** For people. */
export const viaNames: Readonly<Record<Actor["via"], string>> = {
  console: "console",
  api: "API key",
  command_line: "command line",
  configuration: "configuration file",
  system: "the appliance itself",
};

/** For people: `API key ci, 192.0.2.7`. */
export function describeActor({ via, name, address }: Actor): string {
  const who = name === null ? viaNames[via] : `${viaNames[via]} ${visible(name)}`;
  return address === null ? who : `${who}, ${visible(address)}`;
}
