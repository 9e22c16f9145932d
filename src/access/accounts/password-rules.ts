import { FieldError } from "../../platform/lib/errors.ts";
import commonPasswords from "./common-passwords.txt" with { type: "text" };

/** NIST SP 800-63B, section 5.1.1.2: length counts, and no rules about kinds of characters. */
export const passwordCharactersMin = 12;
/** Longer input is not a password: it is rejected before it is hashed. */
export const passwordCharactersMax = 1_000;
/**
 * Maximum length in a form, where other characters than ASCII letters and digits take 3 to 12 bytes. A visitor who is not signed
 * in can send a form of 4 KiB at most, and a form that sets a password contains it twice.
 */
const passwordFormBytesMax = 1_900;

/** Long enough, and still among the first that an attacker tries. In lowercase. */
const worst = new Set(commonPasswords.trim().split("\n"));

/**
 * Checks a new password.
 * @param field name of the form's field @throws FieldError that says what to change
 */
export function requireGoodPassword(
  password: string,
  { name, field }: { name: string; field: string },
): void {
  const fail = (message: string) => {
    throw new FieldError(field, message);
  };
  if (password.length > passwordCharactersMax)
    fail(`The password is too long. Use at most ${passwordCharactersMax} characters.`);
  if (new URLSearchParams({ "": password }).toString().length > passwordFormBytesMax)
    fail("The password is too long: it has many characters that are not letters a to z and digits.");
  if (Array.from(password).length < passwordCharactersMin)
    fail(`The password is too short. Use at least ${passwordCharactersMin} characters.`);
  const folded = password.toLowerCase();
  if (folded === name || folded === name.repeat(2))
    fail("The password is the name of the account. Choose another one.");
  if (worst.has(folded) || new Set(folded).size < 3)
    fail("This password is one of the first that an attacker tries. Choose another one.");
}
