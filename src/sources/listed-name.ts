import { isLinkToAddress, readPastedName } from "../detection/names/pasted-name.ts";

/**
 * Reads the name of an entry of a list.
 *
 * @param text the name as it arrived. @param link the link whose host it is, if it arrived as one.
 * @returns undefined for a link to an address: it has no name, and nothing is wrong with a list that contains some.
 */
export function readListedName(
  text: string,
  link: string | undefined,
): { name: string } | { error: string } | undefined {
  const read = readPastedName(text);
  if ("name" in read) return read;
  if (isLinkToAddress(link ?? text)) return undefined;
  return link === undefined ? read : readPastedName(link);
}
