import type { Settings } from "./settings.ts";

/** How each account wants the console to look, as a text that only the console interprets. */
export interface AccountPreferences {
  /** Returns undefined for an account that has saved none. */
  of(accountSeq: number): string | undefined;
  save(accountSeq: number, text: string): void;
}

/** Numbers of accounts are never used again, so nobody inherits preferences. */
export function createAccountPreferences(settings: Pick<Settings, "get" | "set">): AccountPreferences {
  return {
    of: (accountSeq) => settings.get(`preferences:${accountSeq}`),
    save: (accountSeq, text) => settings.set(`preferences:${accountSeq}`, text),
  };
}
