/** Names of the files in an archive's folder, and what they say about their content. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fromIsoTime, toIsoTime } from "../../../platform/lib/clock.ts";
import { undefinedIfMissing } from "../../../platform/lib/errors.ts";
import { archiveSources, type ArchiveExtent } from "../archive.ts";
import type { Group } from "./record.ts";

/** Sorted names of one day and source. */
export interface Segment extends Group {
  file: string;
  /**
   * The journals whose names it contains: those with numbers from `first` to `last`. A segment replaces all of the
   * same day and source whose numbers are within its own, which a killed process may have left.
   */
  first: number;
  last: number;
  names: number;
  bytes: number;
}

/** A journal: names that are in no segment yet. */
export interface JournalFile {
  file: string;
  /** `open`: a process appends to it. `closed`: complete. `sealed`: has the number of the segments made from it. */
  state: "open" | "closed" | "sealed";
  bytes: number;
}

export interface FolderContent {
  /** The oldest day first, then by source and number. */
  segments: Segment[];
  journals: JournalFile[];
  /** Segments that others replace, and partly written files. */
  leftovers: string[];
}

export const partialEnding = `.partial`;
/** How often the folder is listed again because files were renamed. */
const listingsMax = 20;
const segmentForm = /^(\d{4}-\d\d-\d\d)\.([a-z_]+)\.(\d{15})-(\d{15})\.(\d{1,12})\.segment$/;
const journalForm = /^(?:[0-9a-z]+-\d+\.(?=open$|closed$)|\d{15}\.(?=sealed$))(open|closed|sealed)$/;

export function archiveFolder(databasePath: string): string {
  return `${databasePath}.archive`;
}

export function segmentFile({ day, source, first, last, names }: Omit<Segment, "file" | "bytes">): string {
  const number = (value: number) => String(value).padStart(15, "0");
  return `${toIsoTime(day).slice(0, 10)}.${source}.${number(first)}-${number(last)}.${names}.segment`;
}

export function sealedFile(number: number): string {
  return `${String(number).padStart(15, "0")}.sealed`;
}

/** Returns the number of a sealed journal. */
export function sealedNumber(file: string): number {
  return Number(file.slice(0, 15));
}

/** Lists the folder. A folder that does not exist is empty. @throws an error of the system */
export function listFolder(folder: string): FolderContent {
  const content: FolderContent = { segments: [], journals: [], leftovers: [] };
  for (const { file, bytes } of filesIn(folder)) {
    const segment = parseSegment(file, bytes);
    const state = journalState(file);
    if (segment !== undefined) content.segments.push(segment);
    else if (state !== undefined) content.journals.push({ file, state, bytes });
    else if (file.endsWith(partialEnding)) content.leftovers.push(file);
  }
  // By group, because there are few segments in each, and hundreds in all.
  const replaced = new Set(
    groupsOf(content.segments).flatMap((group) => group.filter((one) => isReplaced(one, group))),
  );
  content.leftovers.push(...[...replaced].map(({ file }) => file));
  content.segments = content.segments.filter((one) => !replaced.has(one));
  return content;
}

/** Lists only the journals, which is cheap: there are few. @throws an error of the system */
export function listJournals(folder: string): JournalFile[] {
  const files = filesIn(folder, (file) => journalState(file) !== undefined);
  return files.map(({ file, bytes }) => ({ file, state: journalState(file)!, bytes }));
}

function journalState(file: string): JournalFile["state"] | undefined {
  return journalForm.exec(file)?.[1] as JournalFile["state"] | undefined;
}

/** Lists files in the order of their names, and lists again if one has disappeared: it was renamed. */
function filesIn(
  folder: string,
  isWanted: (file: string) => boolean = () => true,
): { file: string; bytes: number }[] {
  for (let attempt = 1; ; attempt++) {
    const names = namesIn(folder).filter(isWanted).sort();
    const files = names.flatMap((file) => {
      const bytes = statSync(join(folder, file), { throwIfNoEntry: false })?.size;
      return bytes === undefined ? [] : [{ file, bytes }];
    });
    if (files.length === names.length || attempt === listingsMax) return files;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    return undefinedIfMissing(error) ?? [];
  }
}

function parseSegment(file: string, bytes: number): Segment | undefined {
  const [, date, name, first, last, names] = segmentForm.exec(file) ?? [];
  if (date === undefined) return undefined;
  const day = fromIsoTime(date);
  const source = archiveSources.find((one) => one === name);
  if (day === undefined || source === undefined) return undefined;
  return { file, day, source, first: Number(first), last: Number(last), names: Number(names), bytes };
}

/**
 * Whether a segment of the same day and source that was made of several contains this one. Two with the same numbers
 * have the same names.
 */
function isReplaced(segment: Segment, group: readonly Segment[]): boolean {
  return group.some(
    (other) =>
      other !== segment &&
      other.first <= segment.first &&
      other.last >= segment.last &&
      (other.first < segment.first || other.last > segment.last || other.file > segment.file),
  );
}

export function isSameGroup(a: Group, b: Group): boolean {
  return a.day === b.day && a.source === b.source;
}

/** Splits segments by day and source, in their order. */
export function groupsOf(segments: readonly Segment[]): Segment[][] {
  return [...Map.groupBy(segments, ({ day, source }) => `${day} ${source}`).values()];
}

/** Order of groups: by day, then by source. */
export function compareGroups(a: Group, b: Group): number {
  if (a.day !== b.day) return a.day - b.day;
  return archiveSources.indexOf(a.source) - archiveSources.indexOf(b.source);
}

/** Returns the extent without the names that are in journals only, which are not counted yet. */
export function sortedExtent(content: Pick<FolderContent, "segments" | "journals">): ArchiveExtent {
  const { segments, journals } = content;
  const days = segments.map(({ day }) => day);
  return {
    names: segments.reduce((sum, { names }) => sum + names, 0),
    bytes: [...segments, ...journals].reduce((sum, file) => sum + file.bytes, 0),
    oldestDay: days.length === 0 ? null : days.reduce((a, b) => Math.min(a, b)),
    newestDay: days.length === 0 ? null : days.reduce((a, b) => Math.max(a, b)),
  };
}
