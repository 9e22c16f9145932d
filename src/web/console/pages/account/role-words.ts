import type { Role } from "../../../../platform/vocabulary/permissions.ts";

/** Describes what each role may do, for a sentence after the role. */
export const roleWords: Record<Role, string> = {
  viewer: "reads everything except secrets, and changes nothing",
  analyst: "reads, decides, assigns, adds notes, reports, inspects pages, imports names and starts scans",
  administrator: "may do everything, such as managing users, API keys and protected domains",
};
