import { FieldError } from "../../../platform/lib/errors.ts";
import { checkHeaders, checkUrl, type DestinationRules } from "../http/destination-rules.ts";
import { targetOf, type WebhookTarget } from "./endpoint.ts";
import { secretProblem } from "./signing.ts";

/**
 * Returns the target with its URL in the normal form.
 * @throws PublicError `bad_request` with what to change, and the setting that would allow it
 */
export function checkTarget(target: WebhookTarget, rules: DestinationRules): WebhookTarget {
  return targetOf({
    ...target,
    url: checkUrl(target.url, rules),
    headers: checkHeaders(target.headers),
    secret: checkSecret(target.secret),
  });
}

/** @throws PublicError */
export function checkSecret(secret: string): string {
  const problem = secretProblem(secret);
  if (problem !== undefined) throw new FieldError("secret", problem);
  return secret;
}
