import { FieldError } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import {
  describeRefusal,
  refusal,
  type AddressRefusal,
  type AddressRules,
} from "../../../platform/network/addresses.ts";

/** Addresses that messages may be sent to. */
export interface DestinationRules extends AddressRules {
  allowHttp: boolean;
}

/** Settings of everything that is sent over HTTP. Read when they are needed, because they can change. */
export interface HttpSettings extends DestinationRules {
  /** Certificate authority that is trusted for all recipients. */
  caFile: string | null;
  /** Timeout of each request. */
  timeoutMs: number;
}

const urlCharactersMax = 2_000;
const headersMax = 20;
const headerValueCharactersMax = 2_000;

/** Headers that a channel or the HTTP client sets. */
const reservedHeaders =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent|expect|content-.*|webhook-.*|x-service-signature)$/i;

/**
 * Returns the URL in its normal form.
 * @param show returns the URL as errors show it
 * @throws FieldError with the setting that would allow it
 */
export function checkUrl(
  text: string,
  { allowHttp, ...rules }: DestinationRules,
  show: (text: string) => string = (whole) => visible(whole, 100),
): string {
  const shown = show(text);
  if (text.length > urlCharactersMax)
    throw invalidUrl(`the URL is longer than ${urlCharactersMax} characters`);
  if (!URL.canParse(text)) throw invalidUrl(`${shown} must be a complete URL such as https://host/path`);
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw invalidUrl(`${shown} must begin with https://`);
  if (url.protocol === "http:" && !allowHttp)
    throw invalidUrl(`${shown} is not encrypted; use https://, or set webhooks.allow_http = true`);
  if (url.username !== "" || url.password !== "")
    throw invalidUrl("a URL must not contain a password; set an Authorization header instead");
  if (url.port === "0") throw invalidUrl(`${shown} has port 0; use a port from 1 to 65535`);
  url.hash = "";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const refused = /^[0-9.]+$|:/.test(host) ? refusal(host, rules) : undefined;
  if (refused !== undefined) {
    const reason = withSettingHint(describeRefusal(refused), refused);
    throw invalidUrl(`${shown} cannot be delivered to: ${reason}`);
  }
  return url.href;
}

/** Returns custom headers that can be sent. @throws FieldError with what to change */
export function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers);
  if (entries.length > headersMax) throw invalidHeaders(`at most ${headersMax} custom headers are allowed`);
  for (const [name, value] of entries) {
    const shown = visible(name, 100);
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name))
      throw invalidHeaders(`${shown} is not a header name`);
    if (reservedHeaders.test(name)) throw invalidHeaders(`the header ${shown} is set by phishwatch`);
    if (!/^[ -~]*$/.test(value) || value.length > headerValueCharactersMax)
      throw invalidHeaders(
        `the value of the header ${shown} must be at most ${headerValueCharactersMax} visible ASCII characters`,
      );
  }
  return Object.fromEntries(entries);
}

const invalidUrl = (message: string) => new FieldError("url", message);
const invalidHeaders = (message: string) => new FieldError("headers", message);

/** Appends the setting that would allow a rejected address, if there is one. */
export function withSettingHint(reason: string, refused: AddressRefusal | undefined): string {
  return refused?.allowable === true
    ? `${reason}; webhooks.allow_private_networks = true would allow it`
    : reason;
}
