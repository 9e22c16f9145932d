import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { findManualPage } from "../../src/manual/manual.ts";

const rows = findManualPage("testing")!
  .text.split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (-|Guarantee )/.test(line))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

test("every guarantee of the manual names a test or a campaign that exists, or says that it is checked by hand", () => {
  const wrong = rows.filter(([, by = "", name = ""]) => {
    if (by === "by hand") return !/^version \d+\.\d+\.\d+$/.test(name);
    if (by === "campaign")
      return !existsSync(`scripts/campaigns/${/^`scripts\/campaign (\w+)`$/.exec(name)?.[1] ?? ""}.ts`);
    const path = /^`(test\/\S+\.test\.ts)`$/.exec(by)?.[1] ?? "";
    return !existsSync(path) || name.length < 12 || !readFileSync(path, "utf8").includes(name);
  });
  expect(wrong).toEqual([]);
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.every(({ length }) => length === 3)).toBeTrue();
});
