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
      setting: string | undefined;
      /** Advice: the value to write there, or the command to run. */
      change: string;
    }
);

/** Returns constructors of the results of a check about one object. */
export function resultsOf(check: CheckId, what: string, settingDefault?: string) {
  type Problem = (detail: string, change: string, setting?: string) => CheckResult;
  const problem =
    (state: "warning" | "error"): Problem =>
    (detail, change, setting = settingDefault) => ({ check, what, state, detail, setting, change });
  return {
    ok: (detail: string): CheckResult => ({ check, what, state: "ok", detail }),
    skipped: (detail: string): CheckResult => ({ check, what, state: "skipped", detail }),
    warning: problem("warning"),
    error: problem("error"),
  };
}
