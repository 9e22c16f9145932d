import { eventTypes, type EventType } from "../vocabulary/events.ts";
import { badRequest, PublicError } from "../lib/errors.ts";
import { visible } from "../lib/safe-text.ts";
import { describeRefusal, refusal, type AddressRules } from "../network/addresses.ts";
import { withSettingHint } from "./private-networks-hint.ts";
import { secretFault } from "./signing.ts";

/** What a person or the file can say about an endpoint. */
export interface EndpointSettings {
  url: string;
  /** Empty: all. */
  events?: readonly string[];
  headers?: Readonly<Record<string, string>>;
  /** Null: as `webhooks.endpoint_concurrency`. */
  concurrency?: number | null;
  ratePerSecond?: number | null;
  caFile?: string | null;
  clientCertFile?: string | null;
  clientKeyFile?: string | null;
}

/** Where events may be sent. */
export interface DestinationRules extends AddressRules {
  allowHttp: boolean;
}

const nameCharactersMax = 100;
const urlCharactersMax = 2_000;
const headersMax = 20;
const headerValueCharactersMax = 2_000;
const concurrencyMax = 256;
const ratePerSecondMax = 10_000;

// What a delivery says for itself, and what frames a request: neither is for others to set.
const ownHeaders =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent|expect|content-.*|webhook-.*|x-service-signature)$/i;

/**
 * The URL in its normal form.
 * @throws PublicError that says why not, and which setting would allow it
 */
export function checkUrl(text: string, rules: DestinationRules): string {
  const shown = visible(text, 100);
  if (text.length > urlCharactersMax) throw bad(`the URL is longer than ${urlCharactersMax} characters`);
  if (!URL.canParse(text)) throw bad(`${shown} is not a URL; write https://host/path`);
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw bad(`${shown} has to begin with https://`);
  if (url.protocol === "http:" && !rules.allowHttp)
    throw bad(`${shown} is not encrypted; use https://, or set webhooks.allow_http = true`);
  if (url.username !== "" || url.password !== "")
    throw bad("a URL must not hold a password; set an Authorization header instead");
  url.hash = "";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const refused = /^[0-9.]+$|:/.test(host) ? refusal(host, rules) : undefined;
  if (refused !== undefined) {
    const reason = withSettingHint(describeRefusal(refused), refused);
    throw bad(`${shown} cannot be delivered to: ${reason}`);
  }
  return url.href;
}

/** @throws PublicError for an unknown or repeated type */
function checkEvents(types: readonly string[]): EventType[] {
  const unknown = types.find((type) => !eventTypes.includes(type as EventType));
  if (unknown !== undefined)
    throw bad(`${visible(unknown, 100)} is not an event type; there are ${eventTypes.join(", ")}`);
  return eventTypes.filter((type) => types.includes(type));
}

/** @throws PublicError */
export function checkSecret(secret: string): string {
  const fault = secretFault(secret);
  if (fault !== undefined) throw bad(fault);
  return secret;
}

/** @throws PublicError */
export function checkName(name: string): string {
  if (name.trim() !== name || name === "" || name.length > nameCharactersMax || visible(name) !== name)
    throw bad(`a name has 1 to ${nameCharactersMax} visible characters`);
  // Wherever a name is asked for, an identifier is taken too.
  if (name.startsWith("whk_")) throw bad("a name cannot begin with whk_");
  return name;
}

/** @throws PublicError */
function checkHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers);
  if (entries.length > headersMax) throw bad(`at most ${headersMax} headers can be added`);
  for (const [name, value] of entries) {
    const shown = visible(name, 100);
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) throw bad(`${shown} is not a header name`);
    if (ownHeaders.test(name)) throw bad(`the header ${shown} is set by phishwatch itself`);
    if (!/^[ -~]*$/.test(value) || value.length > headerValueCharactersMax)
      throw bad(
        `the header ${shown} needs a value of at most ${headerValueCharactersMax} visible ASCII characters`,
      );
  }
  return Object.fromEntries(entries);
}

/** What holds where nothing was said. */
export const defaultSettings = {
  events: [],
  headers: {},
  concurrency: null,
  ratePerSecond: null,
  caFile: null,
  clientCertFile: null,
  clientKeyFile: null,
};

/** What was said, checked; what was not said is left out. @throws PublicError */
export function checkSettings(settings: EndpointSettings, rules: DestinationRules) {
  const { url, events, headers, concurrency, ratePerSecond, caFile, clientCertFile, clientKeyFile } =
    settings;
  return {
    url: checkUrl(url, rules),
    ...(events === undefined ? {} : { events: checkEvents(events) }),
    ...(headers === undefined ? {} : { headers: checkHeaders(headers) }),
    ...(concurrency === undefined
      ? {}
      : { concurrency: checkWithin(concurrency, "concurrency", concurrencyMax, true) }),
    ...(ratePerSecond === undefined
      ? {}
      : { ratePerSecond: checkWithin(ratePerSecond, "the rate limit", ratePerSecondMax, false) }),
    ...(caFile === undefined ? {} : { caFile }),
    ...(clientCertFile === undefined ? {} : { clientCertFile }),
    ...(clientKeyFile === undefined ? {} : { clientKeyFile }),
  };
}

/** A free name made from the host of the URL. */
export function nameFor(url: string, taken: (name: string) => boolean): string {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "").slice(0, nameCharactersMax - 10);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? host : `${host}-${number}`;
    if (!taken(name)) return name;
  }
}

/** @throws PublicError */
function checkWithin(value: number | null, name: string, maximum: number, integer: boolean): number | null {
  if (value === null || (value > 0 && value <= maximum && (!integer || Number.isInteger(value))))
    return value;
  throw bad(`${name} is a ${integer ? "whole " : ""}number above 0 and at most ${maximum}`);
}

function bad(message: string): PublicError {
  return badRequest(message);
}
