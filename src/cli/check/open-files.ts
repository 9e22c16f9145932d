import { descriptorLimit, descriptorsRecommended } from "../../network/descriptors.ts";
import type { CheckResult } from "./check-result.ts";

/** Returns whether this process, and a server that is started in the same way, may open enough files. */
export function openFiles(limit = descriptorLimit()): CheckResult {
  const what = "open files";
  if (limit === null) return { what, state: "ok", detail: "not limited" };
  if (limit >= descriptorsRecommended) return { what, state: "ok", detail: `at most ${limit}` };
  const advice = `raise the hard limit (ulimit -Hn, or LimitNOFILE of systemd) to ${descriptorsRecommended} or more`;
  return {
    what,
    state: "warning",
    detail: `at most ${limit}, so few webhook deliveries and connections run at a time; ${advice}`,
  };
}
