import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { file } from "../../scripts/packaging/archives.ts";
import { buildDeb, debName } from "../../scripts/packaging/debian/deb.ts";
import { unpackDeb } from "../../scripts/packaging/image/base.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { projectPackage } from "../../scripts/packaging/source.ts";

const contents = {
  executable: new TextEncoder().encode("#!/bin/sh\necho this is the program\n"),
  licenses: "license texts\n",
  sbom: "{}\n",
  shared: [
    file("manual.html", "<!doctype html>"),
    file("LICENSE", "MIT"),
    file("man/phishwatch.1", ".TH phishwatch 1\n"),
    file("completions/_phishwatch", "#compdef phishwatch\n"),
    file("systemd/phishwatch.service", "for archives\n"),
  ],
  unit: "[Service]\nExecStart=/usr/bin/phishwatch serve\n",
};
const timeS = Date.UTC(2026, 10, 22) / 1000;
const dpkg = Bun.which("dpkg-deb");

let folder: string;
let deb: Uint8Array;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "phishwatch-deb-test-"));
  deb = buildDeb({ architecture: "arm64", contents, timeS });
  writeFileSync(join(folder, "a.deb"), deb);
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(...words: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync(words, { cwd: folder });
  expect(`${stderr}${exitCode}`).toBe("0");
  return stdout.toString();
}

test.skipIf(dpkg === null)("dpkg reads the control data of the Debian package", () => {
  const field = (name: string) => run("dpkg-deb", "--field", "a.deb", name).trim();
  expect(field("Package")).toBe("phishwatch");
  expect(field("Version")).toBe(projectPackage.version);
  expect(field("Architecture")).toBe("arm64");
  expect(field("Depends")).toMatch(/^libc6 \(>= [\d.]+\), systemd/);
  expect(debName("arm64")).toBe(`phishwatch_${projectPackage.version}_arm64.deb`);
});

test.skipIf(dpkg === null)(
  "the files of the Debian package match its checksums and have their places",
  () => {
    mkdirSync(join(folder, "root"));
    run("dpkg-deb", "--raw-extract", "a.deb", "root");
    run("sh", "-c", "cd root && md5sum --check --quiet --strict DEBIAN/md5sums");
    const mode = (path: string) => (statSync(join(folder, "root", path)).mode & 0o777).toString(8);
    const text = (path: string) => readFileSync(join(folder, "root", path), "utf8");
    expect(mode("usr/bin/phishwatch")).toBe("755");
    expect(mode("etc/phishwatch/phishwatch.toml")).toBe("640");
    expect(text("DEBIAN/conffiles")).toBe("/etc/phishwatch/phishwatch.toml\n");
    expect(text("usr/lib/systemd/system/phishwatch.service")).toBe(contents.unit);
    expect(text("usr/share/zsh/vendor-completions/_phishwatch")).toStartWith("#compdef");
    expect(run("gzip", "-dc", "root/usr/share/man/man1/phishwatch.1.gz")).toBe(".TH phishwatch 1\n");
    expect(text("usr/share/doc/phishwatch/manual.html")).toStartWith("<!doctype");
    for (const name of ["postinst", "prerm", "postrm"]) run("sh", "-n", `root/DEBIAN/${name}`);
  },
);

test.skipIf(dpkg === null)(
  "the packaged configuration is valid, and its database is in the folder of the service",
  () => {
    mkdirSync(join(folder, "config"));
    run("dpkg-deb", "--extract", "a.deb", "config");
    const path = join(folder, "config/etc/phishwatch/phishwatch.toml");
    const result = loadConfig({ path, text: readFileSync(path, "utf8"), env: {}, readFile: () => "" });
    if (!("config" in result)) throw new Error(JSON.stringify(result));
    expect(result.config.storage.path).toBe("/var/lib/phishwatch/phishwatch.db");
  },
);

test("two builds of the Debian package have the same bytes", () => {
  expect(buildDeb({ architecture: "arm64", contents, timeS })).toEqual(new Uint8Array(deb));
});

test("a package without the compressed data that Debian uses is rejected with its name", () => {
  expect(() => unpackDeb(join(folder, "a.deb"), folder)).toThrow("the Debian package has no data.tar.xz");
});
