import { badRequest } from "../../lib/errors.ts";
import { visible } from "../../lib/safe-text.ts";
import { describeRefusal, refusal, type AddressRules } from "../../network/addresses.ts";
import { targetOf, type WebhookTarget } from "./endpoint.ts";
import { withSettingHint } from "./private-networks-hint.ts";
import { secretProblem } from "./signing.ts";

/** Addresses that events may be sent to. */
export interface DestinationRules extends AddressRules {
  allowHttp: boolean;
}

const urlCharactersMax = 2_000;
const headersMax = 20;
const headerValueCharactersMax = 2_000;

/** Headers that a delivery or the HTTP client sets. */
const reservedHeaders =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent|expect|content-.*|webhook-.*|x-service-signature)$/i;

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

/** Returns the URL in its normal form. @throws PublicError with the setting that would allow it */
export function checkUrl(text: string, rules: DestinationRules): string {
  const shown = visible(text, 100);
  if (text.length > urlCharactersMax)
    throw badRequest(`the URL is longer than ${urlCharactersMax} characters`);
  if (!URL.canParse(text)) throw badRequest(`${shown} is not a URL; write https://host/path`);
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw badRequest(`${shown} must begin with https://`);
  if (url.protocol === "http:" && !rules.allowHttp)
    throw badRequest(`${shown} is not encrypted; use https://, or set webhooks.allow_http = true`);
  if (url.username !== "" || url.password !== "")
    throw badRequest("a URL must not contain a password; set an Authorization header instead");
  if (url.port === "0") throw badRequest(`${shown} has port 0; use a port from 1 to 65535`);
  url.hash = "";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const refused = /^[0-9.]+$|:/.test(host) ? refusal(host, rules) : undefined;
  if (refused !== undefined) {
    const reason = withSettingHint(describeRefusal(refused), refused);
    throw badRequest(`${shown} cannot be delivered to: ${reason}`);
  }
  return url.href;
}

/** @throws PublicError */
export function checkSecret(secret: string): string {
  const problem = secretProblem(secret);
  if (problem !== undefined) throw badRequest(problem);
  return secret;
}

function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers);
  if (entries.length > headersMax) throw badRequest(`at most ${headersMax} custom headers are allowed`);
  for (const [name, value] of entries) {
    const shown = visible(name, 100);
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) throw badRequest(`${shown} is not a header name`);
    if (reservedHeaders.test(name)) throw badRequest(`the header ${shown} is set by phishwatch`);
    if (!/^[ -~]*$/.test(value) || value.length > headerValueCharactersMax)
      throw badRequest(
        `the value of the header ${shown} must be at most ${headerValueCharactersMax} visible ASCII characters`,
      );
  }
  return Object.fromEntries(entries);
}
