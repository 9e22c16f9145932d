import { timingSafeEqual } from "node:crypto";
import type { FillRandom } from "../../lib/ids.ts";
import { createLimiter } from "../../lib/limiter.ts";
import type { Settings } from "../settings/settings.ts";

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. 31 ms a time. */
const argon2id = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;

// Crockford's base32, 5 bits a character, none to be taken for another: 20 of them are 100 bits.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const groups = 5;
const groupLength = 4;

/** The one password of the web console. */
export interface ConsolePassword {
  /** Whether there is one, from the configuration file or made at first start. */
  exists(): boolean;
  verify(attempt: string): Promise<boolean>;
  /** Whether it is another one than when this was last asked: sessions of the one before must end. */
  hasChanged(): Promise<boolean>;
  /** Makes a new one, keeps its hash, and answers it: the only time it is seen. */
  make(): string;
}

/** Each takes 19 MiB and a whole core: whoever sends a thousand passwords at once has to wait. */
const hashesAtOnce = 2;

export function createConsolePassword({
  settings,
  configured,
  fillRandom,
}: {
  settings: Settings;
  /** `console.password`; wins over one that was made. */
  configured: string | null;
  fillRandom: FillRandom;
}): ConsolePassword {
  const limited = createLimiter(hashesAtOnce);
  const matches = (password: string, hash: string) => limited(() => Bun.password.verify(password, hash));

  return {
    exists: () => configured !== null || settings.get("console_password_hash") !== undefined,
    async verify(attempt) {
      if (configured !== null) return sameText(attempt, configured);
      const hash = settings.get("console_password_hash");
      return hash !== undefined && (await matches(attempt, hash));
    },
    async hasChanged() {
      // Of a configured password only a slow hash may be kept: it may be a weak one.
      const mark = settings.get("console_password_mark");
      const made = settings.get("console_password_hash") ?? "";
      if (configured === null && mark === `made ${Bun.SHA256.hash(made, "hex")}`) return false;
      if (configured !== null && mark?.startsWith("$") === true && (await matches(configured, mark)))
        return false;
      settings.set(
        "console_password_mark",
        configured === null
          ? `made ${Bun.SHA256.hash(made, "hex")}`
          : await Bun.password.hash(configured, argon2id),
      );
      return true;
    },
    make() {
      const password = readablePassword(fillRandom);
      settings.set("console_password_hash", Bun.password.hashSync(password, argon2id));
      return password;
    },
  };
}

/** Whether two texts are equal, in a time that tells nothing of where they differ. */
export function sameText(left: string, right: string): boolean {
  return timingSafeEqual(Bun.SHA256.hash(left), Bun.SHA256.hash(right));
}

function readablePassword(fillRandom: FillRandom): string {
  const bytes = new Uint8Array(groups * groupLength);
  fillRandom(bytes);
  const characters = Array.from(bytes, (byte) => alphabet.charAt(byte % 32)).join("");
  return characters.match(new RegExp(`.{${groupLength}}`, "g"))!.join("-");
}
