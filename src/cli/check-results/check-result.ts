import type { CheckId } from "./catalog.ts";

/** One line of `phishwatch check`. */
export type CheckResult = {
  check: CheckId;
  /** Object that was checked, such as `endpoint soc`. */
  what: string;
  detail: string;
} & (
  | {
      /** `skipped`: not checked, because of `--offline`, or because it cannot be known here. */
      state: "ok" | "skipped";
    }
  | {
      /** `warning`: works, but needs attention. */
      state: "warning" | "error";
      /** Key of the configuration to change, such as `server.listen` or `feeds["nrd"].path`. */
      setting?: string | undefined;
      /** Advice: the value to write there, or the command to run. */
      change: string;
    }
);

/** Returns the warning or error, or, without a problem, the result that all is well. */
export function resultOf(
  base: Pick<CheckResult, "check" | "what">,
  ok: string,
  problem:
    { state: "warning" | "error"; detail: string; setting?: string | undefined; change: string } | undefined,
): CheckResult {
  return problem === undefined ? { ...base, state: "ok", detail: ok } : { ...base, ...problem };
}
