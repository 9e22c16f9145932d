import type { Sign } from "../threats/signs.ts";

/** A value of the API as people read it: `false_positive` as `false positive`. */
export function inWords(value: string): string {
  return value.replaceAll("_", " ");
}

export const signLabels: Record<Sign, string> = {
  asks_for_secrets: "asks for a password or card",
  looks_like_original: "looks like the original",
  receives_mail: "mail server",
  newly_registered: "newly registered",
  parked: "parked",
  leads_nowhere: "leads nowhere",
};

/** `1 threat`, `2 threats`, `1,000 threats`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** The message of an error as a sentence: services write them to stand behind a name. */
export function sentence(text: string): string {
  const start = text.slice(0, 1).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}
