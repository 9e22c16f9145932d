import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium } from "../test/support/chromium.ts";

// The second half of scripts/test, which has installed the packages by now.

const testTimeoutMs = 30_000;

type Counts = { passed: number; failed: number; skipped: number };

const root = join(import.meta.dir, "..");
const patterns = process.argv.slice(2);
const bun = process.execPath;

process.exitCode = main();

function main(): number {
  if (!run("build", [join(root, "scripts/build")])) {
    closingLine({ passed: 0, failed: 1, skipped: 0 });
    return 1;
  }
  const chromiumMissing = patterns.length === 0 && !ensureChromium();

  const checks = [
    run("types", [bun, "check"]),
    run("lint", [bun, "node_modules/oxlint/bin/oxlint", "--deny-warnings"]),
    run("format", [bun, "fmt", "--check"]),
  ];
  // Elsewhere the browser tests may skip themselves, but not where the result counts.
  if (chromiumMissing && process.env["CI"]) checks.push(false);
  const tests = runTests();

  // Each check counts as one test: a red one must not hide behind "0 failed".
  closingLine({
    passed: tests.passed + checks.filter((ok) => ok).length,
    failed: tests.failed + checks.filter((ok) => !ok).length,
    skipped: tests.skipped,
  });
  return tests.failed > 0 || checks.includes(false) ? 1 : 0;
}

function runTests(): Counts {
  const folder = mkdtempSync(join(tmpdir(), "phishwatch-tests-"));
  const report = join(folder, "junit.xml");
  try {
    const ok = run("tests", [
      bun,
      "test",
      "--parallel",
      `--timeout=${testTimeoutMs}`,
      "--reporter=junit",
      `--reporter-outfile=${report}`,
      ...patterns,
    ]);
    const counts = readJunitTotals(existsSync(report) ? readFileSync(report, "utf8") : "");
    // A file that cannot be loaded, an error between tests or no test at all fails the
    // run without a failed test to count.
    if ((!ok || counts.passed + counts.failed === 0) && counts.failed === 0) counts.failed = 1;
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readJunitTotals(report: string): Counts {
  const totals = /<testsuites\b[^>]*>/.exec(report)?.[0] ?? "";
  const count = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(totals)?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  const skipped = count("skipped");
  return { passed: count("tests") - failed - skipped, failed, skipped };
}

/** Browser tests skip themselves without a Chromium; where Debian's packages are at hand it is installed. */
function ensureChromium(): boolean {
  if (findChromium()) return true;
  const installer = debianInstaller();
  if (installer) {
    run("apt-get update", [...installer, "update", "-q"]);
    const packages = ["chromium", "fonts-dejavu-core"];
    run("install Chromium", [...installer, "install", "-q", "-y", "--no-install-recommends", ...packages]);
  }
  if (findChromium()) return true;
  console.error(
    "No Chromium: the browser tests are skipped, in CI that is a failure (apt-get install chromium)",
  );
  return false;
}

/** On Debian only: Ubuntu's package of this name is a snap. */
function debianInstaller(): string[] | undefined {
  const release = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  if (!/^ID=debian$/m.test(release) || !Bun.which("apt-get")) return undefined;
  const aptGet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
  if (process.getuid?.() === 0) return aptGet;
  const passwordless = Bun.which("sudo") && Bun.spawnSync(["sudo", "-n", "true"]).success;
  return passwordless ? ["sudo", "-n", ...aptGet] : undefined;
}

function run(name: string, command: string[]): boolean {
  console.error(`--- ${name}`);
  const { success } = Bun.spawnSync(command, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  if (!success) console.error(`--- ${name}: failed`);
  return success;
}

function closingLine({ passed, failed, skipped }: Counts): void {
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
}
