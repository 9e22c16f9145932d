/** The log list that the executable contains, and the signature of its publisher. See README.md for its origin. */
import { verify } from "node:crypto";
import keyText from "./log-list-key.pem.txt" with { type: "text" };
import listText from "./log-list.json.txt" with { type: "text" };
import signatureText from "./log-list.sig.txt" with { type: "text" };

/** The text of the list and its detached signature. */
export const builtinLogList: { text: string; signature: Uint8Array } = {
  text: listText,
  signature: Buffer.from(signatureText, "base64"),
};

/** Returns whether Google signed the list: `log_list.sig` next to `log_list.json`. */
export function isSignedByGoogle(list: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify("sha256", list, keyText, signature);
  } catch {
    return false;
  }
}
