import type { Settings } from "./settings.ts";

/**
 * How each account wants the console to look, as a text that only the console interprets.
 *
 * Numbers of accounts are never reused, so no account inherits preferences.
 */
export function createAccountPreferences(settings: Pick<Settings, "get" | "set">) {
  return {
    /** Returns undefined for an account that has saved none. */
    of: (accountSeq: number): string | undefined => settings.get(`preferences:${accountSeq}`),
    save: (accountSeq: number, text: string) => settings.set(`preferences:${accountSeq}`, text),
  };
}
