import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shellWord } from "../../../src/platform/lib/shell-word.ts";
import { randomFrom, seed } from "../../support/random.ts";

const folder = mkdtempSync(join(tmpdir(), "phishwatch-shell-"));
afterAll(() => rmSync(folder, { recursive: true }));
console.error(`seed ${seed}`);

/** Runs a line as somebody would who pastes it, and returns what it prints. */
function paste(line: string): string {
  const { stdout } = Bun.spawnSync(["sh", "-c", line], { cwd: folder, stderr: "ignore" });
  return stdout.toString();
}

const hostile = [
  "x; touch owned #",
  "x'; touch owned; '",
  "$(touch owned)",
  "`touch owned`",
  'a" && touch owned "',
  "a\\",
  "a|touch owned&",
  ">owned",
  "~root",
  "!!",
  "*",
  "bücher 日本",
  "",
];

describe("a name in a command that people copy", () => {
  test("is one word of the shell, whatever it contains", () => {
    for (const name of hostile) expect(paste(`printf %s ${shellWord(name)}`)).toBe(name);
    expect(shellWord("SOC-team.example_1")).toBe("SOC-team.example_1");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("runs nothing, also if the quotes around the command are copied", () => {
    const random = randomFrom(seed);
    const parts = [
      "'",
      '"',
      ";",
      "touch owned",
      " ",
      "$(",
      ")",
      "`",
      "\\",
      "\n",
      "|",
      "&",
      ">owned",
      "#",
      "é",
    ];
    for (let run = 0; run < 60; run++) {
      const name = Array.from({ length: 1 + random(8) }, () => parts[random(parts.length)]!).join("");
      const word = shellWord(name);
      for (const line of [`true ${word}`, `'true ${word}'`, `"true ${word}"`, `run 'true ${word}'`])
        paste(line);
      expect({ name, files: readdirSync(folder) }).toEqual({ name, files: [] });
    }
  });

  test("is escaped by the same function wherever a command is shown", () => {
    const names = readdirSync("src/cli/commands").flatMap((file) => /^[a-z]+(?=.*\.ts$)/.exec(file) ?? []);
    const program = `phishwatch (?:${[...new Set(names)].join("|")})\\b`;
    const commands = new RegExp(
      `(?:${program}|\\b(?:chmod|chown|sudo|curl) )[^\\n'"<{\`]*\\$?\\{([^}\\n]*)`,
      "g",
    );
    const found = [...new Bun.Glob("src/**/*.{ts,tsx}").scanSync(".")].flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(commands)]
        .map(([, inserted]) => inserted!)
        .filter((inserted) => !/shellWord|YAML/.test(inserted))
        .map((inserted) => `${path}: ${inserted}`),
    );
    // Words of the program, identifiers and numbers that it has chosen, and contexts of keys, which are no commands.
    expect(found.sort()).toEqual([
      "src/cli/appliance/configuration.ts: serviceName",
      "src/cli/checks/detection.ts: id",
      "src/cli/checks/file-access.ts: owner",
      "src/cli/commands/webhooks.ts: id",
      "src/operations/backups/encryption/encrypted-store.ts: id",
      "src/operations/backups/encryption/repository-key.ts: id",
      "src/web/console/pages/keys/keys.tsx: header",
      "src/web/console/pages/keys/keys.tsx: header",
      "src/web/console/pages/keys/keys.tsx: header",
    ]);
  });
});
