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
