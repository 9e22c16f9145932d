import { normalizeName } from "../../../engines/detection/names/name.ts";
import type { EntryForm } from "../../../platform/vocabulary/lists.ts";
import type { Entry, SkippedLink } from "./entry.ts";
import texts from "./form-names.json" with { type: "json" };

/** How one line of a list, or one item of a submission, was read. A line with several names has several of them. */
export interface Interpretation {
  /** Line in the list, or number of the item in a submission, from 1. */
  line: number;
  /** Start of what was entered. */
  text: string;
  form: EntryForm;
  /** Null for an IP address, which has no name. */
  name: string | null;
  /** Absent: it was no link. */
  url?: string;
  /** Whether the name resembles a protected domain. */
  isMatch: boolean;
}

/** Words for each form, as they follow "read as". */
export const formNames: Readonly<Record<EntryForm, string>> = texts;

/** Which interpretations a run keeps. */
export interface InterpretationOptions {
  max: number;
  /** Whether to keep interpretations of plain host names, not only of defanged ones. */
  hostNames: boolean;
}

const textCharactersMax = 120;
/** Among the names of a long list, links may be rare. They are not searched for in all of it. */
const linesReadMax = 1_000;

/** Collects how lines were read, up to a maximum. */
export type Interpretations = ReturnType<typeof createInterpretations>;

export function createInterpretations({ max, hostNames }: InterpretationOptions) {
  const kept: Interpretation[] = [];
  let read = 0;
  const keep = (interpretation: Interpretation): void => {
    if (kept.length < max)
      kept.push({ ...interpretation, text: interpretation.text.slice(0, textCharactersMax) });
  };
  return {
    kept: kept as readonly Interpretation[],
    /** Whether lines that match nothing are worth reading for it. */
    isWanted: () => kept.length < max && read++ < linesReadMax,
    add(line: number, text: string, { form, name, url }: Entry, isMatch: boolean) {
      if (hostNames || form !== "host_name" || "error" in normalizeName(text))
        keep({ line, text, form, name, ...(url === undefined ? {} : { url }), isMatch });
    },
    addSkipped: (line: number, text: string, { skipped, url }: SkippedLink) =>
      keep({ line, text, form: skipped, name: null, ...(url === undefined ? {} : { url }), isMatch: false }),
  };
}
