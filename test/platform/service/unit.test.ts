import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderUnit } from "../../../src/platform/service/unit.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { findCommand } from "../../support/programs.ts";

const analyze = findCommand("systemd-analyze");
/** The highest exposure that `systemd-analyze security` calls "OK", times ten. */
const exposureMax = 49;

describe("the unit", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let path: string;
  beforeAll(() => {
    folder = temporaryFolder();
    path = join(folder.path, "phishwatch.service");
    writeFileSync(path, renderUnit({ executable: process.execPath }));
  });
  afterAll(() => folder.dispose());

  const run = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([...analyze!, ...args]);
    return { code: exitCode, text: `${stdout.toString()}${stderr.toString()}` };
  };

  test.if(analyze !== undefined)("is valid for systemd, without a warning", () => {
    expect(run("verify", "--man=no", path)).toEqual({ code: 0, text: "" });
  });

  test.if(analyze !== undefined)("is rated OK or better by systemd", () => {
    const { code, text } = run(
      "security",
      "--offline=true",
      "--no-pager",
      `--threshold=${exposureMax}`,
      path,
    );
    expect([code, text]).toEqual([0, expect.stringMatching(/Overall exposure level for .*: \d\.\d OK/)]);
  });

  test("leaves out what would make the compiler of the runtime slow", () => {
    expect(renderUnit({ executable: "/usr/bin/phishwatch" })).not.toMatch(/^MemoryDenyWriteExecute=/m);
  });
});
