import type { Turns } from "../../../platform/network/turns.ts";

/** Number of characters of markup that are returned in total. */
const markupLengthMax = 400_000;
const candidateLengthMin = 24;
const candidateLengthMax = 400_000;
const candidatesMax = 60;
/** Codings are nested: percent-encoding of base64 of reversed markup, for example. */
const depthMax = 4;
/** Number of escapes from which a string is written so that it cannot be read. */
const escapesMin = 16;
const keysMax = 12;
const keyLengthMax = 40;
const scriptsMax = 24;
const scriptWord =
  /\bdocument\s{0,9}(?:\.|\[)|\beval\s{0,9}\(|\batob\s{0,9}\(|\bunescape\s{0,9}\(|\bdecodeURI|\bfromCharCode\b|\binnerHTML\b|\bfunction\s{0,9}\(/;
const scriptStartLength = 20_000;
const numbersMin = 24;
const numbersMax = 200_000;
/** Start of a page or of one of its parts, as kits write it. */
const markupStart =
  /^\s{0,200}(?:<!--|<!doctype|<(?:html|head|body|meta|title|link|style|script|div|form|section|main|table|center|iframe|img|p|h1|span|nav|header)\b)/i;
const tag =
  /<(?:html|body|div|form|input|script|table|iframe|img|meta|section|main|button|label|a|p|h1|center)[\s>]/i;
const closing = /<\/[a-z0-9]{1,10}>|<(?:input|img|meta|link|br)\b/i;

/**
 * Returns the markup that inline scripts contain in another form, as phishing kits write it: escapes, percent-encoding,
 * base64, hexadecimal digits, reversed text, lists of character codes, and those combined with XOR or a shift. Nothing
 * is executed. Time and memory are linear in the length of the scripts.
 * @param isThin whether the page shows nothing of its own, so that markup in plain strings counts, too.
 */
export async function decodeScripts(
  scripts: readonly string[],
  { isThin, turns }: { isThin: boolean; turns: Turns },
): Promise<string[]> {
  const found: string[] = [];
  let length = 0;
  const take = (markup: string) => {
    if (length >= markupLengthMax || found.includes(markup)) return;
    const kept = markup.slice(0, markupLengthMax - length);
    length += kept.length;
    found.push(kept);
  };
  let candidates = 0;
  // A script that another one decodes follows the scripts of the page.
  const waiting = scripts.slice(0, scriptsMax);
  const takeAny = (text: string | undefined) => {
    if (text === undefined) return;
    if (!isScript(text)) take(text);
    else if (waiting.length < scriptsMax) waiting.push(text);
  };
  for (const script of waiting) {
    await turns.next();
    const strings = scriptStrings(script);
    const keys = strings
      .map(({ text }) => text)
      .filter((text) => text.length > 0 && text.length <= keyLengthMax)
      .slice(0, keysMax);
    const shown: string[] = [];
    for (const { text, escapes } of strings) {
      if (text.length < candidateLengthMin || candidates >= candidatesMax) continue;
      if (isScript(text) && escapes >= escapesMin) takeAny(text);
      else if (isMarkup(text)) {
        if (escapes >= escapesMin) take(asUtf8(text));
        else if (isThin) shown.push(text);
      } else if (isCandidate(text)) {
        candidates += 1;
        await turns.next();
        takeAny(decoded(text.slice(0, candidateLengthMax), keys, depthMax));
      }
    }
    // One document is often written in several calls.
    if (shown.length > 0) take(shown.join("\n"));
    await turns.next();
    for (const text of numberLists(script))
      takeAny(isMarkup(text) || isScript(text) ? text : decoded(text, keys, 2));
  }
  return found;
}

/** Returns whether a text is a script that may write a page. */
function isScript(text: string): boolean {
  return scriptWord.test(text.slice(0, scriptStartLength)) && !markupStart.test(text);
}

function isMarkup(text: string): boolean {
  return tag.test(text) && closing.test(text);
}

/** Returns whether a string without spaces, or of percent-encoded text, may hold a page. */
function isCandidate(text: string): boolean {
  if (/%[0-9a-f]{2}|%u[0-9a-f]{4}|&lt;|&#/i.test(text)) return true;
  if (text.endsWith("<") || />\s{0,9}(?:lmth|vid|ydob|mrof|tpircs)\//.test(text)) return true;
  const sample = text.slice(0, 4_000);
  const spaces = sample.split(" ").length - 1;
  return spaces < sample.length / 40 || /[^\x20-\x7e\s]/.test(sample);
}

/** Tries the codings on a text until one of them results in markup or in a script. */
function decoded(text: string, keys: readonly string[], depth: number): string | undefined {
  if (depth === 0 || text.length < candidateLengthMin) return undefined;
  for (const decode of decoders) {
    const result = decode(text);
    if (result === undefined || result === text) continue;
    if (isScript(result)) return result;
    if (isMarkup(result) && markupStart.test(result)) return result;
    const deeper = decoded(result, keys, depth - 1);
    if (deeper !== undefined) return deeper;
    if (isMarkup(result)) return result;
  }
  return shifted(text) ?? keyed(text, keys);
}

const decoders: ((text: string) => string | undefined)[] = [
  percentDecoded,
  entitiesDecoded,
  hexDecoded,
  base64Decoded,
  reversed,
];

function percentDecoded(text: string): string | undefined {
  if (!/%(?:[0-9a-f]{2}|u[0-9a-f]{4})/i.test(text)) return undefined;
  const bytes = text.replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/gi, (_all, wide: string, narrow: string) =>
    String.fromCharCode(Number.parseInt(wide ?? narrow, 16)),
  );
  return asUtf8(bytes);
}

function entitiesDecoded(text: string): string | undefined {
  if (!text.includes("&lt;") && !/&#\d{2,3};/.test(text)) return undefined;
  return text
    .replace(/&#(\d{2,5});/g, (_all, code: string) => String.fromCharCode(Number(code)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

function hexDecoded(text: string): string | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(text)) return undefined;
  return Buffer.from(text, "hex").toString("utf8");
}

function base64Decoded(text: string): string | undefined {
  const plain = text.replace(/^data:[^,]{0,60};base64,/, "").replace(/\s+/g, "");
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(plain)) return undefined;
  return asUtf8(Buffer.from(plain, "base64").toString("latin1"));
}

function reversed(text: string): string | undefined {
  const result = [...text].reverse().join("");
  // Reversed only if it was: otherwise each step would try both directions.
  return isMarkup(result) || /^(?:PC|PG|PH|CjwK|Cjx|%3c)/i.test(result) ? result : undefined;
}

/** Reads one byte per character as UTF-8, if it is. */
function asUtf8(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes) || /[\u0100-\uffff]/.test(bytes)) return bytes;
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  return text.includes("\ufffd") ? bytes : text;
}

/** Undoes XOR with one value, or a shift of the character codes: markup starts with a "<", which tells the value. */
function shifted(text: string): string | undefined {
  const first = text.charCodeAt(0);
  const less = 60;
  const start = text.slice(0, 200);
  const undone = (convert: (code: number) => number) => {
    const map = (part: string) =>
      Array.from(part, (_character, index) =>
        String.fromCharCode(convert(part.charCodeAt(index)) & 0xffff),
      ).join("");
    return markupStart.test(map(start)) ? map(text) : undefined;
  };
  const result = undone((code) => code ^ first ^ less) ?? undone((code) => code - first + less);
  return result !== undefined && isMarkup(result) ? result : undefined;
}

/** Undoes XOR with one of the short strings of the script, repeated. */
function keyed(text: string, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const map = (part: string) =>
      Array.from(part, (_character, index) =>
        String.fromCharCode(part.charCodeAt(index) ^ key.charCodeAt(index % key.length)),
      ).join("");
    if (!markupStart.test(map(text.slice(0, 200)))) continue;
    const result = map(text);
    if (isMarkup(result)) return asUtf8(result);
  }
  return undefined;
}

/** Returns the texts of lists of character codes, such as `String.fromCharCode(60, 104, …)`. */
function numberLists(script: string): string[] {
  const texts: string[] = [];
  let codes: number[] = [];
  const end = () => {
    if (codes.length >= numbersMin) texts.push(textOf(codes));
    codes = [];
  };
  let total = 0;
  for (const [, number, after] of script.matchAll(/(0x[0-9a-f]{1,4}|\d{1,5})(\s{0,9}[,;|\s]\s{0,9}|)/gi)) {
    total += 1;
    if (total > numbersMax || texts.length >= candidatesMax) break;
    codes.push(Number(number));
    if (after === "") end();
  }
  end();
  return texts;
}

function textOf(codes: readonly number[]): string {
  const parts: string[] = [];
  const step = 4_096;
  for (let from = 0; from < codes.length; from += step)
    parts.push(String.fromCharCode(...codes.slice(from, from + step)));
  return parts.join("");
}

/** Strings of a script that it joins, as one: `"<fo" + "rm>"` and `["<fo", "rm>"].join("")`. */
interface ScriptString {
  text: string;
  /** Number of escapes, such as `\x3c`, in it. */
  escapes: number;
}

const stringsMax = 2_000;
const backslash = "\\";
const escapesOfOne: Record<string, string> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  v: "\v",
  0: "\0",
};

/**
 * Finds the string literals of a script without parsing it, in linear time: comments and regular expressions can confuse
 * it, which only loses strings. Expressions in templates are omitted.
 */
function scriptStrings(script: string): ScriptString[] {
  const found: ScriptString[] = [];
  /** Strings that commas separate, which may be the elements of an array. */
  let row: ScriptString[] = [];
  let last: ScriptString | undefined;
  const endRow = (isJoined: boolean) => {
    if (isJoined && row.length > 1)
      found.push({
        text: row.map(({ text }) => text).join(""),
        escapes: row.reduce((sum, { escapes }) => sum + escapes, 0),
      });
    else found.push(...row);
    row = [];
    last = undefined;
  };
  let between = "";
  for (let at = 0; at < script.length && found.length + row.length < stringsMax;) {
    const character = script[at]!;
    if (character === "/" && (script[at + 1] === "/" || script[at + 1] === "*")) {
      const end = script[at + 1] === "/" ? script.indexOf("\n", at) : script.indexOf("*/", at + 2);
      if (end === -1) break;
      at = end + (script[at + 1] === "/" ? 1 : 2);
      continue;
    }
    if (character !== '"' && character !== "'" && character !== "`") {
      if (between.length < 4 && character > " ") between += character;
      else if (between.length >= 4 && row.length > 0) endRow(false);
      if (row.length > 0 && character === "]")
        endRow(/^\]\s{0,20}\.\s{0,20}(join|reverse|map)\b/.test(script.slice(at, at + 60)));
      at += 1;
      continue;
    }
    const literal = literalAt(script, at);
    at = literal.end;
    if (last !== undefined && (between === "+" || between === "" || between === "+(")) {
      last.text += literal.text;
      last.escapes += literal.escapes;
    } else {
      if (row.length > 0 && between !== ",") endRow(false);
      last = { text: literal.text, escapes: literal.escapes };
      row.push(last);
    }
    between = "";
  }
  endRow(false);
  return found;
}

function literalAt(script: string, from: number): ScriptString & { end: number } {
  const quote = script[from]!;
  const parts: string[] = [];
  let escapes = 0;
  let at = from + 1;
  for (let start = at; ;) {
    const character = script[at];
    if (character === undefined || character === quote || (character === "\n" && quote !== "`")) {
      parts.push(script.slice(start, at));
      return { text: parts.join(""), escapes, end: at + 1 };
    }
    if (character === backslash) {
      parts.push(script.slice(start, at));
      const { text, end } = escapeAt(script, at + 1);
      parts.push(text);
      if (end > at + 2) escapes += 1;
      at = start = end;
    } else if (quote === "`" && character === "$" && script[at + 1] === "{") {
      parts.push(script.slice(start, at));
      const end = script.indexOf("}", at);
      at = start = end === -1 ? script.length : end + 1;
    } else at += 1;
  }
}

/** Reads an escape (ECMA-262 §12.9.4) after its backslash. */
function escapeAt(script: string, at: number): { text: string; end: number } {
  const hex = (from: number, length: number) => {
    const digits = script.slice(from, from + length);
    return /^[0-9a-f]+$/i.test(digits) && digits.length === length ? Number.parseInt(digits, 16) : undefined;
  };
  const character = script[at] ?? "";
  if (character === "x") {
    const code = hex(at + 1, 2);
    if (code !== undefined) return { text: String.fromCharCode(code), end: at + 3 };
  }
  if (character === "u" && script[at + 1] === "{") {
    const digits = /^[0-9a-f]{1,6}(?=\})/i.exec(script.slice(at + 2, at + 9))?.[0];
    const code = digits === undefined ? undefined : Number.parseInt(digits, 16);
    if (code !== undefined && code <= 0x10ffff)
      return { text: String.fromCodePoint(code), end: at + 3 + digits!.length };
  }
  if (character === "u") {
    const code = hex(at + 1, 4);
    if (code !== undefined) return { text: String.fromCharCode(code), end: at + 5 };
  }
  const octal = /^(?:[0-3][0-7]{2}|[0-7]{2})/.exec(script.slice(at, at + 3))?.[0];
  if (octal !== undefined)
    return { text: String.fromCharCode(Number.parseInt(octal, 8)), end: at + octal.length };
  if (character === "\n") return { text: "", end: at + 1 };
  return { text: escapesOfOne[character] ?? character, end: at + 1 };
}
