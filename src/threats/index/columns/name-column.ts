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
export interface NameColumn {
  /** Appends a name in A-label form as the next row. */
  add(name: string): void;
  get(row: number): string;
  /** Returns the rows whose names match. The set must not be changed. */
  search(query: NameQuery): RowSet;
  /** Returns the names of the first rows, in parts, and those of all rows with A-labels. */
  content(rows: number): { text: NameTextContent[]; internationalized: readonly InternationalizedName[] };
}

/** A name with A-labels, in the forms in which people read it. */
export interface InternationalizedName {
  row: number;
  unicode: string;
  folded: string;
}

interface NameColumnDependencies {
  /** Maps a name to the letters that it looks like, which is what people type who search for a homograph. */
  fold: (name: string) => string;
  /** Names to begin with. */
  content?: { text: NameTextContent; internationalized: readonly InternationalizedName[] } | undefined;
}

export function createNameColumn({ fold, content }: NameColumnDependencies): NameColumn {
  const text = createNameText(content?.text);
  const internationalized = [...(content?.internationalized ?? [])];
  const cache = new BoundedMap<string, { found: RowSet; rows: number; internationalized: number }>(
    cachedQueriesMax,
  );

  return {
    get: text.get,
    content: (rows) => ({ text: text.content(rows), internationalized: internationalized.slice() }),
    add(name) {
      if (name.includes("xn--")) {
        const unicode = unicodeName(name).toLowerCase().normalize("NFC");
        internationalized.push({ row: text.count(), unicode, folded: fold(name) });
      }
      text.add(name);
    },

    search({ text: wanted, startsWith }) {
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
