import type { Signal } from "../model/verdict.ts";
import { combinedRules } from "./combined-rules.ts";
import { copyRules } from "./copy-rules.ts";
import { identityRules } from "./identity-rules.ts";
import { otherRules } from "./other-rules.ts";
import { placeRules } from "./place-rules.ts";
import { requestRules } from "./request-rules.ts";
import type { SignalRule } from "./signal-rule.ts";

/** Every comparison, in the order of the manual. */
export const signalRules: readonly SignalRule[] = [
  ...identityRules,
  ...copyRules,
  ...requestRules,
  ...placeRules,
  ...otherRules,
];

/** Code of the only signal of a page that is the brand's own or a partner's, which is never compared. */
export const ownPageCode = "own_page";

/**
 * Describes a signal in a few words that follow "The page at … : ". Values are texts of the page's author: escape them where
 * they are shown.
 */
export function describeSignal({ code, params }: Pick<Signal, "code" | "params">): string {
  if (code === ownPageCode) return "it is a page of the brand or of an allowed name";
  const combined = combinedRules.find((rule) => rule.code === code);
  if (combined !== undefined) return combined.text();
  // A signal that was stored by another version may have a code that no longer exists.
  return signalRules.find((rule) => rule.code === code)?.text(params) ?? code.replaceAll("_", " ");
}
