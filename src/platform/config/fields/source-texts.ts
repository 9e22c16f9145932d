import { createPublicKey } from "node:crypto";
import { resolve } from "node:path";
import { parseHostName } from "../../lib/host-names.ts";
import { visible } from "../../lib/safe-text.ts";
import type { TextReader } from "./fields.ts";

/** Readers of texts that only the sections about sources contain. */

const urlLengthMax = 2_000;

function parseUrl(text: string, schemes: readonly string[]): URL | null {
  const url = /^[\x21-\x7e]+$/.test(text) && text.length <= urlLengthMax ? URL.parse(text) : null;
  const isPlain = url?.username === "" && url.password === "" && url.hash === "" && url.port !== "0";
  return url !== null && isPlain && schemes.includes(url.protocol) ? url : null;
}

/** Address of a list or of a WebSocket. Its query may contain a key, so errors do not show it. */
export const readFeedUrl: TextReader<string> = (text) => {
  const url = parseUrl(text, ["https:", "http:", "wss:", "ws:"]);
  return url === null
    ? {
        allowed: `an https:// or wss:// address without user name and #fragment, of at most ${urlLengthMax} ASCII characters`,
        found: "a string that is no such address",
      }
    : { value: url.href };
};

/** Base address of a log, with a slash at its end. */
export const readBaseUrl: TextReader<string> = (text) => {
  const url = parseUrl(text, ["https:", "http:"]);
  return url === null || url.search !== ""
    ? { allowed: "an http:// or https:// address without ?query, such as https://log.example/2026h2/" }
    : { value: url.href.replace(/\/*$/, "/") };
};

/** Email address, or URL of a page that says how to reach the operator. */
export const readContact: TextReader<string> = (text) => {
  const isMail =
    text.length <= 200 && /^[!-?A-~]+@[!-?A-~]+$/.test(text) && parseHostName(text.split("@")[1]!);
  return isMail || (text.length <= 200 && parseUrl(text, ["https:", "http:"]) !== null)
    ? { value: text }
    : { allowed: "an email address or an https:// address" };
};

export type LogListSource =
  { kind: "builtin" } | { kind: "url"; url: string } | { kind: "file"; path: string };

export const readLogList: TextReader<LogListSource> = (text, { folder }) => {
  if (text === "builtin") return { value: { kind: "builtin" } };
  if (/^https?:/.test(text)) {
    const url = parseUrl(text, ["https:"]);
    return url === null ? { allowed: "an https:// address" } : { value: { kind: "url", url: url.href } };
  }
  return text === "" || visible(text) !== text
    ? { allowed: `"builtin", an https:// address or a path` }
    : { value: { kind: "file", path: resolve(folder, text) } };
};

/** Public key as base64 of its SubjectPublicKeyInfo: ECDSA P-256 or RSA, the key types of RFC 6962 §2.1.4. */
export const readKey: TextReader<string> = (text) => {
  const allowed = "base64 of a public key (SubjectPublicKeyInfo), ECDSA P-256 or RSA";
  if (!/^[A-Za-z0-9+/]{40,}={0,2}$/.test(text)) return { allowed, found: "a text that is not base64" };
  try {
    const key = createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" });
    const isKnown =
      key.asymmetricKeyType === "rsa" ||
      (key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1");
    return isKnown ? { value: text } : { allowed, found: `a key of type ${key.asymmetricKeyType}` };
  } catch {
    return { allowed, found: "base64 of something else" };
  }
};

/** Top-level domain, as an A-label. */
export const readZone: TextReader<string> = (text) => {
  const zone = parseHostName(`example.${text.replace(/^\.|\.$/g, "")}`)?.slice("example.".length);
  return zone === undefined ? { allowed: `a top-level domain such as "shop"` } : { value: zone };
};
