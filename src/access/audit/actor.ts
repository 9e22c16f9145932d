import { visible } from "../../platform/lib/safe-text.ts";

/** Channels through which a change is made; `system` is phishwatch itself, for example when it reactivates a threat. */
export const actorChannels = ["console", "api", "command_line", "configuration", "system"] as const;
export type ActorChannel = (typeof actorChannels)[number];

/** Who makes a change, recorded with the change. */
export interface Actor {
  channel: ActorChannel;
  /**
   * Name of the console account, the API key or the shell user; null for the configuration file and the system, and in
   * rows that are older than accounts.
   */
  name: string | null;
  /** IP address of the client; null when there is none or it is unknown. */
  address: string | null;
}

/** Options of a change that is recorded in the audit log. */
export interface ByActor {
  by: Actor;
}

/** The actor of automatic changes, such as a threat that becomes active again. */
export const system: Actor = { channel: "system", name: null, address: null };

/** The actor of changes that the configuration file declares; they take effect at startup. */
export const configurationFile: Actor = { channel: "configuration", name: null, address: null };

/** Channel names as shown to people. */
export const channelNames: Readonly<Record<ActorChannel, string>> = {
  console: "console",
  api: "API key",
  command_line: "command line",
  configuration: "configuration file",
  system: "system",
};

/** Returns a description for people, such as `ada (console), 192.0.2.7` or `API key ci, 192.0.2.7`. */
export function describeActor({ channel, name, address }: Actor): string {
  const who = whoText(channel, name === null ? null : visible(name));
  return address === null ? who : `${who}, ${visible(address)}`;
}

/**
 * A console account is a person, so its name comes first. All others begin with their channel: a key cannot pose as a
 * person, and no account as a key, because its name contains no spaces.
 */
function whoText(channel: ActorChannel, name: string | null): string {
  if (name === null) return channelNames[channel];
  return channel === "console" ? `${name} (${channelNames.console})` : `${channelNames[channel]} ${name}`;
}

/** Returns the JSON form in command output and evidence bundles; programs read its field names. */
export function actorJson({ channel, name, address }: Actor): object {
  return { via: channel, name, address };
}
