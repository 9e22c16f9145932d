import type { FillRandom } from "../../platform/lib/ids.ts";

const recoveryCodesCount = 10;
// Crockford's base32: no ambiguous characters.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
/** 80 bits: a plain hash of it cannot be reversed, and it cannot be guessed. */
const characters = 16;
/** Maximum length of a code as people type it. */
const enteredCharactersMax = 40;
const form = new RegExp(`^[${alphabet}]{${characters}}$`);

/** Returns new recovery codes: four groups of four characters. */
export function newRecoveryCodes(fillRandom: FillRandom): string[] {
  return Array.from({ length: recoveryCodesCount }, () => {
    const bytes = new Uint8Array(characters);
    fillRandom(bytes);
    const text = Array.from(bytes, (byte) => alphabet.charAt(byte % 32)).join("");
    return text.match(/.{4}/g)!.join("-");
  });
}

/** Returns the recovery code without what people type between its groups, or undefined if it cannot be one. */
export function readRecoveryCode(text: string): string | undefined {
  if (text.length > enteredCharactersMax) return undefined;
  const bare = text.toLowerCase().replaceAll(/[\s-]/g, "");
  return form.test(bare) ? bare : undefined;
}

/** @param code as `readRecoveryCode` returns it */
export function hashRecoveryCode(code: string): Buffer {
  return Buffer.from(Bun.SHA256.hash(`recovery code ${code}`).buffer);
}
