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
