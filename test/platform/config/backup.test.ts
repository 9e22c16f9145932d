import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { loadConfig } from "../../../src/platform/config/load.ts";
import { serviceConfiguration } from "../../../src/platform/service/install.ts";
import { errorLines, loaded } from "./helper.ts";

test("backups are next to the configuration file, and existing ones of the former default are continued", () => {
  const folder = mkdtempSync(join(tmpdir(), "phishwatch-backup-folder-"));
  try {
    const placeOf = (settings: string, home = folder) => {
      const text = `[storage]\npath = "data/phishwatch.db"\n[backup]\n${settings}`;
      const result = loadConfig({
        path: join(home, "phishwatch.toml"),
        text,
        env: {},
        readFile: () => {
          throw new Error("no file is named");
        },
      });
      if (!result.ok) throw new Error(text);
      const { location } = result.config.backup;
      return location.kind === "folder" ? location.folder : `s3://${location.bucket}`;
    };
    const [present, former] = [join(folder, "backups"), join(folder, "data", "backups")];
    expect(placeOf("")).toBe(present);
    // Nothing can be created below a file.
    writeFileSync(join(folder, "file"), "");
    const impossible = join(folder, "file", "folder");
    expect(placeOf("", impossible)).toBe(join(impossible, "data", "backups"));
    // The example file of earlier versions had it.
    expect(placeOf('folder = ""')).toBe(former);
    for (const place of [present, former]) mkdirSync(place, { recursive: true });
    expect(placeOf("")).toBe(present);
    writeFileSync(join(former, "phishwatch-backups.json"), "");
    expect(placeOf("")).toBe(former);
    expect(placeOf('folder = "elsewhere"')).toBe(join(folder, "elsewhere"));
    writeFileSync(join(present, "phishwatch-backups.json"), "");
    expect(placeOf("")).toBe(present);
    const bucket = 's3 = "s3://example"\ns3_access_key = "a"\ns3_secret_key = "b"';
    expect(placeOf(`folder = "backups"\n${bucket}`)).toBe("s3://example");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a service keeps its backups where it may write", () => {
  expect(loaded(serviceConfiguration()).backup.location).toEqual({
    kind: "folder",
    folder: "/var/lib/phishwatch/backups",
  });
});

test.each([
  ["s3://bk/main", "with a bucket name of 3 to 63 lowercase letters, digits, dots and hyphens"],
  [`s3://${"b".repeat(64)}`, "with a bucket name of 3 to 63"],
  ["s3://-backups", "that begins and ends with a letter or digit"],
  ["s3://Backups", "lowercase letters"],
  ["s3://backups/a//b", "with a prefix of lowercase letters"],
  ["s3://backups/.a", "begin with no dot"],
  [`s3://backups/${"a".repeat(200)}`, "of at most 200 characters"],
])("the bucket %s is rejected with the rule that it breaks", (s3, rule) => {
  const [error] = errorLines(`[backup]\ns3 = "${s3}"\ns3_access_key = "a"\ns3_secret_key = "b"`);
  expect(error).toContain(rule);
});

test("a folder and a bucket cannot be combined", () => {
  const [error] = errorLines(
    '[backup]\nfolder = "elsewhere"\ns3 = "s3://backups"\ns3_access_key = "a"\ns3_secret_key = "b"',
  );
  expect(error).toContain("either folder or s3");
});
