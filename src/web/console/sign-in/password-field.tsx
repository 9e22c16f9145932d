import { passwordCharactersMax, passwordCharactersMin } from "../../../access/accounts/password-rules.ts";
import { TextField } from "../kit/form.tsx";

export const newPasswordHint = `At least ${passwordCharactersMin} characters. A few random words are easy to type.`;

/** A field for a password: a new one, unless `autocomplete` says otherwise. */
export function PasswordField(props: Parameters<typeof TextField>[0]) {
  return (
    <TextField
      type="password"
      autocomplete="new-password"
      maxLength={passwordCharactersMax}
      required
      {...props}
    />
  );
}
