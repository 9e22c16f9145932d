import type { Instant } from "../../../../platform/lib/clock.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import type { HoneytokenKind } from "../../../../platform/vocabulary/traps.ts";
import type { NewTrap, Trap } from "../../trap.ts";

/** Data that only honeytokens have. */
export interface HoneytokenDetails {
  kind: HoneytokenKind;
  /** Response of a honeytoken of kind `url`. */
  response: UrlResponse;
}

export type Honeytoken = Trap<HoneytokenDetails>;

/** Response to every request for the URL. */
export type UrlResponse =
  { kind: "not_found" } | { kind: "page"; title: string; text: string } | { kind: "redirect"; url: string };

export interface NewHoneytoken extends NewTrap {
  kind: HoneytokenKind;
  /** For kind `url` only; default: 404. */
  response?: UrlResponse;
  expiresAt?: Instant;
}

const pageLengthMax = 10_000;
const redirectLengthMax = 2_000;

/** Validates a response. @throws PublicError `bad_request` */
export function readResponse(kind: HoneytokenKind, response: UrlResponse): UrlResponse {
  if (kind !== "url" && response.kind !== "not_found")
    throw badRequest(`Only a honeytoken of kind url can have a custom response, not one of kind ${kind}.`);
  switch (response.kind) {
    case "not_found":
      return { kind: "not_found" };
    case "page": {
      const { title, text } = response;
      if (title.length + text.length > pageLengthMax)
        throw badRequest(`A page must have at most ${pageLengthMax} characters.`);
      return { kind: "page", title, text };
    }
    case "redirect": {
      const { url } = response;
      const parsed = url.length <= redirectLengthMax && /^[\x21-\x7e]+$/.test(url) ? URL.parse(url) : null;
      if (parsed === null || !["http:", "https:"].includes(parsed.protocol))
        throw badRequest(`"${visible(url, 100)}" is not an http:// or https:// URL to redirect to.`);
      if (parsed.port === "0")
        throw badRequest(`"${visible(url, 100)}" has port 0, to which no browser can be redirected.`);
      return { kind: "redirect", url: parsed.href };
    }
  }
}
