import { timingSafeEqual } from "node:crypto";
import type { FillRandom } from "../../platform/lib/ids.ts";
import { firstAccountName, type Account, type Accounts } from "../accounts/accounts.ts";
import type { PasswordHashes } from "../accounts/password-hashes.ts";
import type { Settings } from "../settings/settings.ts";

// Crockford's base32: 5 bits per character and no ambiguous ones, so 20 characters have 100 bits.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const groups = 5;
const groupLength = 4;

/** An account whose password was just verified. */
export interface VerifiedPassword {
  account: Account;
  /** The hash that the password matches; null: the configuration file sets the password. */
  hash: string | null;
}

interface GeneratedPassword {
  password: string;
  hash: string;
}

/** Passwords of the console's accounts. */
export type ConsolePassword = ReturnType<typeof createConsolePassword>;

export function createConsolePassword({
  accounts,
  settings,
  config,
  fillRandom,
  hashes,
}: {
  accounts: Pick<Accounts, "byName" | "credentialsOf" | "update">;
  settings: Settings;
  /** `console.password`, which takes precedence over a created password, and can change. */
  config: { readonly password: string | null };
  fillRandom: FillRandom;
  hashes: PasswordHashes;
}) {
  async function verified(
    account: Account | undefined,
    attempt: string,
  ): Promise<VerifiedPassword | undefined> {
    if (account?.password === "configuration")
      return equalInConstantTime(attempt, config.password!) ? { account, hash: null } : undefined;
    const hash = account === undefined ? null : accounts.credentialsOf(account.seq).passwordHash;
    const isCorrect = await hashes.matches(attempt, hash);
    return isCorrect && account !== undefined ? { account, hash } : undefined;
  }

  return {
    /** Returns whether the administrator of the first start has a password. */
    exists: (): boolean => accounts.byName(firstAccountName)!.password !== null,
    /**
     * Returns the account if it is enabled and this is its password. Computes one argon2id hash for any name, so that
     * the time does not reveal which accounts exist. The only exception is the name `admin`, which everybody knows, if the
     * configuration file sets its password.
     */
    async verify(name: string, attempt: string): Promise<VerifiedPassword | undefined> {
      const found = await verified(accounts.byName(name), attempt);
      return found?.account.disabledAt === null ? found : undefined;
    },
    /**
     * Returns what the setting `console_password_mark` has to become when the configured password has changed since it was
     * stored; undefined if it has not.
     */
    async changedMark(): Promise<string | undefined> {
      const configured = config.password;
      // A configured password may be weak, so only a slow hash of it may be stored.
      const mark = settings.get("console_password_mark");
      const markedHash = mark?.startsWith("$") === true ? mark : undefined;
      // Without a configured password, sessions end in the transaction that changes the password.
      if (configured === null) return markedHash === undefined ? undefined : "";
      if (markedHash !== undefined && (await hashes.matches(configured, markedHash))) return undefined;
      return hashes.hash(configured);
    },
    /** Creates a password. It is not in use before it is stored. */
    async generate(): Promise<GeneratedPassword> {
      const password = readablePassword(fillRandom);
      return { password, hash: await hashes.hash(password) };
    },
    /** Sets the password of the administrator of the first start. It cannot be retrieved later. */
    store({ hash }: GeneratedPassword) {
      const { seq } = accounts.byName(firstAccountName)!;
      accounts.update(seq, { passwordHash: hash });
    },
  };
}

/** Compares two texts in a time that does not depend on where they differ. */
export function equalInConstantTime(left: string, right: string): boolean {
  return timingSafeEqual(Bun.SHA256.hash(left), Bun.SHA256.hash(right));
}

/** Returns a password that can be read aloud. */
export function readablePassword(fillRandom: FillRandom): string {
  const bytes = new Uint8Array(groups * groupLength);
  fillRandom(bytes);
  const characters = Array.from(bytes, (byte) => alphabet.charAt(byte % 32)).join("");
  return characters.match(new RegExp(`.{${groupLength}}`, "g"))!.join("-");
}
