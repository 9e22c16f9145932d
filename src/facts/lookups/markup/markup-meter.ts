/**
 * Counts markup, for which the parser needs memory: about 200 bytes for each element that is not closed, and 50 for each
 * attribute of a tag. Pages that people use have far less of both.
 */
export interface MarkupMeter {
  /** Counts the next piece of a page. Returns false once there is too much. */
  add(piece: string): boolean;
}

const tagsMax = 12_000;
/** Number of characters that can separate attributes within one tag. An embedded image contains many slashes. */
const separatorsMax = 20_000;

const separators = new Set([..." \t\n\r\f\"'/"].map((character) => character.charCodeAt(0)));
const lessThan = 60;
const greaterThan = 62;

export function createMarkupMeter(): MarkupMeter {
  let tags = 0;
  let separatorsInTag = 0;
  let isInTag = false;
  return {
    add(piece) {
      for (let index = 0; index < piece.length; index += 1) {
        const code = piece.charCodeAt(index);
        if (code === lessThan) {
          tags += 1;
          // Inside a tag, it is part of an attribute.
          if (!isInTag) separatorsInTag = 0;
          isInTag = true;
        } else if (code === greaterThan) {
          isInTag = false;
        } else if (isInTag && separators.has(code)) {
          separatorsInTag += 1;
          if (separatorsInTag > separatorsMax) return false;
        }
      }
      return tags <= tagsMax;
    },
  };
}
