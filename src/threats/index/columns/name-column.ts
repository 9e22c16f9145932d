import { unicodeName } from "../../../engines/detection/names/name.ts";
import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import type { NameQuery } from "./name-query.ts";
import { createNameText, type NameTextContent } from "./name-text.ts";
import { addRow, createRowSet, withRoom, type RowSet } from "../arrays/row-set.ts";

const cachedQueriesMax = 4;

/**
 * The names of all threats for substring search. Rows are only ever appended and never change, so a repeated query
 * only has to scan the rows that are new.
 */
export type NameColumn = ReturnType<typeof createNameColumn>;

/** A name with A-labels, in the forms in which people read it. */
export interface InternationalizedName {
  row: number;
  unicode: string;
  folded: string;
}

/**
 * @param fold maps a name to the letters that it looks like, which is what people type who search for a homograph
 * @param content names to begin with
 */
export function createNameColumn(
  fold: (name: string) => string,
  content?: { text: NameTextContent; internationalized: readonly InternationalizedName[] },
) {
  const text = createNameText(content?.text);
  const internationalized = [...(content?.internationalized ?? [])];
  const cache = new BoundedMap<string, { found: RowSet; rows: number; internationalized: number }>(
    cachedQueriesMax,
  );

  return {
    get: text.get,
    /** Returns the names of the first rows, in parts, and the names of all rows with A-labels. */
    content: (rows: number) => ({ text: text.content(rows), internationalized: internationalized.slice() }),
    /** Appends a name in A-label form as the next row. */
    add(name: string) {
      if (name.includes("xn--")) {
        const unicode = unicodeName(name).toLowerCase().normalize("NFC");
        internationalized.push({ row: text.count(), unicode, folded: fold(name) });
      }
      text.add(name);
    },

    /** Returns the rows whose names match. The set must not be changed. */
    search({ text: wanted, startsWith }: NameQuery): RowSet {
      const key = `${startsWith ? "^" : ""}${wanted}`;
      const cached = cache.get(key) ?? { found: createRowSet(0), rows: 0, internationalized: 0 };
      const count = text.count();
      cached.found = withRoom(cached.found, count);
      const { found } = cached;
      if (/^[\x21-\x7e]*$/.test(wanted))
        text.find(Buffer.from(wanted, "latin1"), { startsWith, from: cached.rows, found });
      for (const { row, unicode, folded } of internationalized.slice(cached.internationalized)) {
        const matches = startsWith
          ? unicode.startsWith(wanted) || folded.startsWith(wanted)
          : unicode.includes(wanted) || folded.includes(wanted);
        if (matches) addRow(found, row);
      }
      cached.rows = count;
      cached.internationalized = internationalized.length;
      cache.set(key, cached);
      return found;
    },
  };
}
