/** One line of `phishwatch check`. */
export interface CheckResult {
  what: string;
  /** `warning`: works, but needs attention. */
  state: "ok" | "warning" | "error";
  detail: string;
}
