import { createHmac } from "node:crypto";
import { randomText } from "../../platform/lib/ids.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import type { Settings } from "../settings/settings.ts";
import { equalInConstantTime } from "./password.ts";

/**
 * Browsers that have signed in to an account before. Their attempts at this account have turns of their own, so others
 * cannot delay them. That is all that a mark permits: it does not replace the password.
 */
export type KnownDevices = ReturnType<typeof createKnownDevices>;

const daySeconds = 86_400;
/** A mark is recognized for this time. Each sign-in renews it. */
export const markSecondsMax = 180 * daySeconds;
const keyBytes = 32;
const idBytes = 16;
/** Length of `idBytes` in base64url. */
const idLength = 22;
/** Issue time in seconds since the epoch, in base 36: enough until the year 91,000. */
const timeLength = 8;
/** 132 bits. */
const signatureLength = 22;
const form = new RegExp(`^([\\w-]{${idLength}})([0-9a-z]{${timeLength}})([\\w-]{${signatureLength}})$`);

export function createKnownDevices({
  settings,
  clock,
  fillRandom,
}: Needs<"clock" | "fillRandom"> & { settings: Settings }) {
  const nowSeconds = () => Math.floor(clock.now() / 1_000);

  const storedKey = () => settings.get("console_device_key");

  function createKey(): string {
    const created = randomText(fillRandom, keyBytes);
    settings.set("console_device_key", created);
    return created;
  }

  const signatureOf = (content: string, key: string) =>
    createHmac("sha256", key).update(content).digest("base64url").slice(0, signatureLength);

  return {
    /**
     * Returns the device that a mark belongs to, or undefined if it was not issued here for the account or is too old.
     */
    recognize(mark: string | undefined, accountSeq: number) {
      const [, id = "", time = "", signature = ""] = form.exec(mark ?? "") ?? [];
      // Without a key, none was issued. It is not created here, outside of a transaction.
      const key = storedKey();
      if (key === undefined || id === "") return undefined;
      if (!equalInConstantTime(signature, signatureOf(`${id}${time}${accountSeq}`, key))) return undefined;
      const ageSeconds = nowSeconds() - Number.parseInt(time, 36);
      return ageSeconds <= markSecondsMax ? id : undefined;
    },

    /**
     * Returns a mark for a browser that has just signed in: 52 characters of base64url. Runs in the caller's
     * transaction.
     */
    issue(device: string | undefined, accountSeq: number) {
      const id = device ?? randomText(fillRandom, idBytes);
      const content = `${id}${nowSeconds().toString(36).padStart(timeLength, "0")}`;
      return `${content}${signatureOf(`${content}${accountSeq}`, storedKey() ?? createKey())}`;
    },
  };
}
