/** A host name, split into labels and folded, as the scoring reads it. */
import { foldLabel, type FoldedLabel } from "./fold.ts";
import { splitName, type NameParts } from "./suffix.ts";

export interface HostLabel extends FoldedLabel {
  /** A-label form. */
  label: string;
  /** Index of the label's first character in the host's text. */
  start: number;
}

export interface Host {
  name: string;
  parts: NameParts;
  /** From left to right. The last one is the registrable label. */
  labels: readonly HostLabel[];
  /** The folded labels with dots between them, without the public suffix. */
  text: string;
}

/** Returns up to two hosts: one with the first, one with the second reading of all labels. */
export function readHost(name: string): Host[] {
  const parts = splitName(name);
  if (parts.registrableLabel === "") return [];
  const labels = [...parts.subLabels, parts.registrableLabel];
  const readings = labels.map((label) => foldLabel(label));
  const first = assemble(
    name,
    parts,
    labels,
    readings.map((reading) => reading[0]!),
  );
  if (readings.every((reading) => reading.length === 1)) return [first];
  return [
    first,
    assemble(
      name,
      parts,
      labels,
      readings.map((reading) => reading.at(-1)!),
    ),
  ];
}

function assemble(name: string, parts: NameParts, labels: string[], folded: FoldedLabel[]): Host {
  let text = "";
  const hostLabels = labels.map((label, index): HostLabel => {
    if (index > 0) text += ".";
    const start = text.length;
    text += folded[index]!.folded;
    return { label, start, ...folded[index]! };
  });
  return { name, parts, labels: hostLabels, text };
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
  const shown = label.shown[label.origin[index]!]!;
  return shown !== label.folded[index] && !ownLetters.has(shown);
}
