import { hostIn } from "../../../engines/detection/names/pasted-name.ts";

/** Longer than any name and nearly any URL; the rest of a longer input is ignored. */
export const nameQueryCharactersMax = 1_024;

/** A search for part of a name. */
export interface NameQuery {
  /** Lowercase, in A-label or U-label form. */
  text: string;
  startsWith: boolean;
}

/**
 * Parses the text of a search box: part of a name, `part*` for its beginning, or a link or an email address, of
 * which the host counts; also in defanged forms. Returns undefined if there is nothing to search for.
 */
export function parseNameQuery(input: string): NameQuery | undefined {
  let text = hostIn(input.slice(0, nameQueryCharactersMax).normalize("NFC")).host.toLowerCase();
  const startsWith = text.endsWith("*");
  if (startsWith) text = text.slice(0, -1);
  return text === "" ? undefined : { text, startsWith };
}
