import type { AttemptResult } from "../../deliveries/channel.ts";

/** Shorter values would hide ordinary words. */
const secretCharactersMin = 8;

/** Returns the texts, and the words in them, that are long enough to be secrets. */
export function secretsIn(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => [text, ...text.split(/\s+/)])
    .filter((text) => text.length >= secretCharactersMin);
}

/** Returns the parts of a URL that may be secret: its path, its query, and their parts, also when they are decoded. */
export function secretsInUrl(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { pathname, search, searchParams } = new URL(text);
  const parts = [`${pathname}${search}`, pathname, ...pathname.split("/"), ...searchParams.values()];
  // Values as they are in the query, which `searchParams` decodes.
  const raw = search
    .slice(1)
    .split("&")
    .map((pair) => pair.slice(pair.indexOf("=") + 1));
  return secretsIn([...parts, ...raw, ...parts.map(decoded)]);
}

/**
 * Returns a function that replaces each of the secrets with `***` in any case: proxies change the case of
 * addresses. Also finds secrets that are percent-encoded.
 */
export function hiding(secrets: readonly string[]): (text: string) => string {
  if (secrets.length === 0) return (text) => text;
  const forms = new Set(secrets.flatMap((one) => [one, encodeURIComponent(one.toWellFormed())]));
  // A secret that contains another one comes first.
  const ordered = [...forms].toSorted((a, b) => b.length - a.length).map((form) => RegExp.escape(form));
  const anySecret = new RegExp(ordered.join("|"), "gi");
  return (text) => text.replace(anySecret, "***");
}

/** Replaces secrets in what is kept and shown of an attempt. A receiver may repeat what it was sent. */
export function withoutSecrets(result: AttemptResult, secrets: readonly string[]): AttemptResult {
  const hide = hiding(secrets);
  return {
    ...result,
    response: hide(result.response),
    error: result.error === null ? null : hide(result.error),
  };
}

/** Returns the scheme and host of a URL, for messages: the rest may be secret. */
export function maskedUrl(text: string): string {
  if (!URL.canParse(text)) return "the URL";
  const { protocol, host } = new URL(text);
  return host === "" ? "the URL" : `${protocol}//${host}/…`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
