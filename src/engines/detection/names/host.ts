/** A host name, split into labels and folded, as the scoring reads it. */
import { foldLabel, type FoldedLabel } from "./fold.ts";
import { splitName, type NameParts } from "./suffix.ts";

export interface HostLabel extends FoldedLabel {
  /** A-label form. */
  label: string;
  /** Index of the label's first character in the host's text. */
  start: number;
}

/** A part of a host's text, from `start` to before `end`. */
export interface Stretch {
  start: number;
  end: number;
  text: string;
  /** Number of characters that are not hyphens. */
  letters: number;
}

export interface Host {
  name: string;
  parts: NameParts;
  /** From left to right. The last one is the registrable label. */
  labels: readonly HostLabel[];
  /** The folded labels with dots between them, without the public suffix. */
  text: string;
  /** The labels, and the parts between the hyphens of labels that contain some. */
  stretches: readonly Stretch[];
}

/** Returns up to two hosts: one with the first, one with the second reading of all labels. */
export function readHost(name: string): Host[] {
  const parts = splitName(name);
  if (parts.registrableLabel === "") return [];
  const labels = parts.subLabels.concat(parts.registrableLabel);
  const readings = labels.map(foldLabel);
  const first = assemble(name, parts, labels, readings, 0);
  const isAmbiguous = readings.some((reading) => reading.length > 1);
  return isAmbiguous ? [first, assemble(name, parts, labels, readings, -1)] : [first];
}

function assemble(
  name: string,
  parts: NameParts,
  labels: readonly string[],
  readings: readonly FoldedLabel[][],
  which: 0 | -1,
): Host {
  let text = "";
  const hostLabels: HostLabel[] = [];
  const stretches: Stretch[] = [];
  for (let index = 0; index < labels.length; index++) {
    if (index > 0) text += ".";
    const { shown, folded, origin } = readings[index]!.at(which)!;
    hostLabels.push({ label: labels[index]!, start: text.length, shown, folded, origin });
    addStretches(stretches, folded, text.length);
    text += folded;
  }
  return { name, parts, labels: hostLabels, text, stretches };
}

function addStretches(stretches: Stretch[], folded: string, start: number): void {
  const end = start + folded.length;
  if (!folded.includes("-")) {
    stretches.push({ start, end, text: folded, letters: folded.length });
    return;
  }
  const parts = folded.split("-");
  stretches.push({ start, end, text: folded, letters: folded.length - parts.length + 1 });
  let at = start;
  for (const text of parts) {
    stretches.push({ start: at, end: at + text.length, text, letters: text.length });
    at += text.length + 1;
  }
}

/** Returns the index of the label that contains the character at `position` of the host's text. */
export function labelIndexAt(host: Host, position: number): number {
  let index = host.labels.length - 1;
  while (index > 0 && host.labels[index]!.start > position) index--;
  return index;
}

/** Returns whether the character at `index` of the folded label replaces a different one that is not in `ownLetters`. */
export function isOtherLetter(label: HostLabel, index: number, ownLetters: ReadonlySet<string>): boolean {
  if (label.origin === undefined || label.folded[index] === "-") return false;
  const shown = label.shown[label.origin[index] ?? 0]!;
  return shown !== label.folded[index] && !ownLetters.has(shown);
}
