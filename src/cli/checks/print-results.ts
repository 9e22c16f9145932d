import { visible } from "../../platform/lib/safe-text.ts";
import { counted } from "../../platform/lib/wording.ts";
import { printJson } from "../terminal/table.ts";
import type { Output } from "../terminal/terminal.ts";
import { groupOf } from "./catalog.ts";
import type { CheckResult } from "./result.ts";
import type { SettingPlace } from "./setting-place.ts";

const detailLengthMax = 500;

/** Prints results as they arrive, each with the place of its setting, and a summary at the end. */
export interface ResultPrinter {
  print(result: CheckResult): void;
  /** Returns the number of results by state. Text output ends with one line about them. */
  finish(): Record<CheckResult["state"], number>;
}

/** @param json whether to print one JSON object per line instead of groups of lines for people */
export function createResultPrinter({
  out,
  json,
  placeOf,
}: {
  out: Output;
  json: boolean;
  placeOf(setting: string): SettingPlace | undefined;
}): ResultPrinter {
  const totals = { ok: 0, skipped: 0, warning: 0, error: 0 };
  let group: string | undefined;

  function printText(result: CheckResult): void {
    const { check, what, state, detail } = result;
    const own = groupOf(check);
    if (own !== group) out.write(`${group === undefined ? "" : "\n"}${own}\n`);
    group = own;
    out.write(`${state.padEnd(7)}  ${visible(what, 200)}: ${visible(detail, detailLengthMax)}\n`);
    if (!("change" in result)) return;
    const place = result.setting === undefined ? undefined : placeOf(result.setting);
    const at = place?.line === undefined ? place?.file : `${place.file}:${place.line}`;
    const where =
      result.setting === undefined ? "" : `${at === undefined ? "" : `${at}: `}${result.setting}: `;
    out.write(`         change ${visible(`${where}${result.change}`, detailLengthMax)}\n`);
  }

  return {
    print(result) {
      totals[result.state]++;
      if (json) {
        const { check, what, state, detail, ...rest } = result;
        const setting = "setting" in rest ? rest.setting : undefined;
        const place = setting === undefined ? undefined : placeOf(setting);
        printJson(out, { check, what, state, detail, ...rest, ...place });
      } else printText(result);
      out.flush();
    },
    finish() {
      const { error, warning, ok, skipped } = totals;
      const left = skipped === 0 ? "" : `, ${skipped} skipped`;
      if (!json) out.write(`\n${counted(error, "error")}, ${counted(warning, "warning")}, ${ok} ok${left}\n`);
      return totals;
    },
  };
}
