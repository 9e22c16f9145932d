/** Recognizes by their user agent the programs that open a honeytoken before a person does. */
import type { VisitorClass } from "../../../../platform/vocabulary/traps.ts";
import userAgentsText from "./user-agents.txt" with { type: "text" };

const programs = userAgentsText
  .split("\n")
  .map((line) => /^(link_preview|mail_scanner) (.+)$/.exec(line.trim()))
  .filter((match) => match !== null)
  .map(([, name, part]) => ({ name: name as VisitorClass, part: part!.toLowerCase() }));

export function classifyVisitor(userAgent: string | null): VisitorClass {
  const text = (userAgent ?? "").toLowerCase();
  return programs.find(({ part }) => text.includes(part))?.name ?? "visit";
}
