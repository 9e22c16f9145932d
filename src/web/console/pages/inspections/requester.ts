import type { Inspection } from "../../../../facts/inspection/inspections.ts";
import { inWords } from "../../kit/labels.ts";

/** Returns who or what named the address: `feed openphish`, `ada (console)`. */
export function requesterOf({
  origin: { kind, name },
  source,
}: Pick<Inspection, "origin" | "source">): string {
  if (kind === "console") return `${name} (console)`;
  if (kind === source && kind === name) return inWords(source);
  return `${inWords(kind)} ${name}`;
}
