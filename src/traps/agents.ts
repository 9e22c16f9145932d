/** Who comes to a honeytoken before a person does, or in place of one, by the user agent. */
import agentsText from "./agents.txt" with { type: "text" };
import type { VisitorClass } from "../vocabulary/traps.ts";

const marks = agentsText
  .split("\n")
  .map((line) => /^(link_preview|mail_scanner) (.+)$/.exec(line.trim()))
  .filter((match) => match !== null)
  .map(([, kind, mark]) => ({ kind: kind as VisitorClass, mark: mark!.toLowerCase() }));

export function classifyVisitor(userAgent: string | null): VisitorClass {
  const text = (userAgent ?? "").toLowerCase();
  return marks.find(({ mark }) => text.includes(mark))?.kind ?? "visit";
}
