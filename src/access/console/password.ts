import { timingSafeEqual } from "node:crypto";
import type { FillRandom } from "../../lib/ids.ts";
import { createLimiter } from "../../lib/limiter.ts";
import type { Settings } from "../settings/settings.ts";

/** OWASP's recommendation for argon2id: 19 MiB, two iterations, one lane. Takes 31 ms. */
const argon2id = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

// Crockford's base32: 5 bits per character and no ambiguous ones, so 20 characters have 100 bits.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const groups = 5;
const groupLength = 4;

/** The password of the web console. */
export interface ConsolePassword {
  /** Returns whether there is a password, from the configuration file or created at the first start. */
  exists(): boolean;
  verify(attempt: string): Promise<boolean>;
  /**
   * Returns what the setting `console_password_mark` has to become when the password has changed since it was stored;
   * undefined if it has not.
   */
  changedMark(): Promise<string | undefined>;
  /** Creates a password, stores its hash, and returns it. It cannot be retrieved later. */
  create(): string;
}

/** Longer input is not a password: it is rejected before it is hashed. */
export const passwordCharactersMax = 1_000;
/** Maximum number of concurrent hashes, because each takes 19 MiB and a CPU core. Others wait. */
const concurrentHashesMax = 2;

export function createConsolePassword({
  settings,
  config,
  fillRandom,
}: {
  settings: Settings;
  /** `console.password`, which takes precedence over a created password, and can change. */
  config: { readonly password: string | null };
  fillRandom: FillRandom;
}): ConsolePassword {
  const limited = createLimiter(concurrentHashesMax);
  const matches = (password: string, hash: string) => limited(() => Bun.password.verify(password, hash));

  return {
    exists: () => config.password !== null || settings.get("console_password_hash") !== undefined,
    async verify(attempt) {
      const configured = config.password;
      if (configured !== null) return equalInConstantTime(attempt, configured);
      const hash = settings.get("console_password_hash");
      return hash !== undefined && (await matches(attempt, hash));
    },
    async changedMark() {
      const configured = config.password;
      // A configured password may be weak, so only a slow hash of it may be stored.
      const mark = settings.get("console_password_mark");
      const created = settings.get("console_password_hash") ?? "";
      if (configured === null && mark === `made ${Bun.SHA256.hash(created, "hex")}`) return undefined;
      if (configured !== null && mark?.startsWith("$") === true && (await matches(configured, mark)))
        return undefined;
      return configured === null
        ? `made ${Bun.SHA256.hash(created, "hex")}`
        : Bun.password.hash(configured, argon2id);
    },
    create() {
      const password = readablePassword(fillRandom);
      settings.set("console_password_hash", Bun.password.hashSync(password, argon2id));
      return password;
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
