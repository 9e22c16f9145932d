import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { decodeXML } from "entities";
import { findPrograms, type Program } from "../test/support/programs.ts";

// The second half of scripts/test, which has installed the packages of the lock file.

const testTimeoutMs = 30_000;
/** Tests wait for processes, browsers and timers for a third of their time: one more than there are processors. */
const testProcesses = availableParallelism() + 1;
/**
 * Durations in milliseconds of the files that take longest, which start first: one that started last would run alone.
 * Renew with `./scripts/bun test --parallel --timings=FILE --update-timings`, and keep those of five seconds or more.
 */
const slowestFiles = "test/slowest-files.json";
/** Duration that other files are assumed to take. Bun would start files of unknown duration before all others. */
const otherFilesMs = 1_000;

type Counts = { passed: number; failed: number; skipped: number };
type Results = Counts & { namesOfSkipped: string[] };

const root = join(import.meta.dir, "..");
const patterns = process.argv.slice(2);
const bun = process.execPath;
const isCi = Boolean(process.env["CI"]);

process.exitCode = await main();

async function main(): Promise<number> {
  if (!run("build", [join(root, "scripts/build")])) {
    closingLine({ passed: 0, failed: 1, skipped: 0 });
    return 1;
  }
  // A selection of files runs with the programs at hand.
  const missing = patterns.length === 0 ? installPrograms() : [];

  const checking = [
    check("types", [bun, "check", "-b"]),
    check("lint", [bun, "node_modules/oxlint/bin/oxlint", "--deny-warnings"]),
    check("format", [bun, "fmt", "--check"]),
  ];
  // Elsewhere tests may skip themselves, but not where the result counts.
  if (isCi && missing.length > 0) {
    console.error(`--- programs: failed, CI lacks ${describePrograms(missing)}`);
    checking.push(Promise.resolve(() => false));
  }
  const tests = await runTests();
  const checks = (await Promise.all(checking)).map((end) => end());

  reportSkipped(tests.namesOfSkipped);
  // Each check counts as one test: a failed check must not hide behind "0 failed".
  closingLine({
    passed: tests.passed + checks.filter((ok) => ok).length,
    failed: tests.failed + checks.filter((ok) => !ok).length,
    skipped: tests.skipped,
  });
  return tests.failed > 0 || checks.includes(false) ? 1 : 0;
}

async function runTests(): Promise<Results> {
  const folder = mkdtempSync(join(tmpdir(), "phishwatch-tests-"));
  const report = join(folder, "junit.xml");
  const timings = join(folder, "timings.json");
  writeFileSync(timings, JSON.stringify({ version: 1, files: expectedDurations() }));
  try {
    console.error("--- tests");
    const command = [
      bun,
      "test",
      `--parallel=${testProcesses}`,
      `--timings=${timings}`,
      `--timeout=${testTimeoutMs}`,
      "--reporter=junit",
      `--reporter-outfile=${report}`,
      ...patterns,
    ];
    // Does not block, because the checks run at the same time.
    const running = Bun.spawn(command, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
    const ok = (await running.exited) === 0;
    if (!ok) console.error("--- tests: failed");
    const text = existsSync(report) ? readFileSync(report, "utf8") : "";
    const counts = readJunitTotals(text);
    // A file that cannot be loaded, an error between tests, or no test at all fails the
    // run without a failed test to count.
    if ((!ok || counts.passed + counts.failed === 0) && counts.failed === 0) counts.failed = 1;
    return { ...counts, namesOfSkipped: readSkippedNames(text) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the expected duration of each test file in milliseconds, by path. */
function expectedDurations(): Record<string, number> {
  const all = [...new Bun.Glob("test/**/*.test.ts").scanSync(root)];
  const slowest = JSON.parse(readFileSync(join(root, slowestFiles), "utf8")) as Record<string, number>;
  return { ...Object.fromEntries(all.map((path) => [path, otherFilesMs])), ...slowest };
}

function readJunitTotals(report: string): Counts {
  const totals = /<testsuites\b[^>]*>/.exec(report)?.[0] ?? "";
  const count = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(totals)?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  const skipped = count("skipped");
  return { passed: count("tests") - failed - skipped, failed, skipped };
}

/** Returns the names of skipped tests, each with the names of its groups. */
function readSkippedNames(report: string): string[] {
  const skipped = /<testcase\b([^>]*)>\s*<skipped\b/g;
  const attribute = (tag: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? "";
  return [...report.matchAll(skipped)].map(([, tag]) =>
    [attribute(tag!, "classname"), attribute(tag!, "name")]
      .filter((part) => part !== "")
      .map((part) => decodeXML(part))
      .join(" > "),
  );
}

/** Prints one line about what this run did not test, and why. */
function reportSkipped(names: string[]): void {
  if (names.length === 0) return;
  const missing = findPrograms().filter(({ command }) => command === undefined);
  const reason =
    missing.length > 0
      ? `missing: ${describePrograms(missing)}`
      : "all programs are installed; the rest depends on rights and on the platform";
  console.log(`Skipped (${reason}): ${names.join("; ")}`);
}

/**
 * Installs missing programs with one call of apt-get, and returns those that are still missing. Outside CI it installs
 * only Chromium, without which the browser tests of every page would be skipped.
 */
function installPrograms(): Program[] {
  const missing = () =>
    findPrograms().filter(({ packages, command }) => packages.length > 0 && command === undefined);
  const wanted = missing().filter(({ name }) => isCi || name === "Chromium");
  const installer = wanted.length > 0 ? debianInstaller() : undefined;
  if (installer) {
    const packages = wanted.flatMap((program) => program.packages);
    run("apt-get update", [...installer, "update", "-q"]);
    run("apt-get install", [...installer, "install", "-q", "-y", "--no-install-recommends", ...packages]);
  }
  return missing();
}

function describePrograms(programs: Program[]): string {
  return programs
    .map(({ name, packages }) =>
      packages.length === 0 ? name : `${name} (apt-get install ${packages.join(" ")})`,
    )
    .join(", ");
}

/** Returns the start of an apt-get command on Debian. Ubuntu's package chromium is a snap and does not run here. */
function debianInstaller(): string[] | undefined {
  const release = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  if (!/^ID=debian$/m.test(release) || !Bun.which("apt-get")) return undefined;
  const aptGet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"];
  if (process.getuid?.() === 0) return aptGet;
  const passwordless = Bun.which("sudo") && Bun.spawnSync(["sudo", "-n", "true"]).success;
  return passwordless ? ["sudo", "-n", ...aptGet] : undefined;
}

/**
 * Runs a check in the background. Resolves at its end with a function that prints its output and returns whether it
 * succeeded: printed at once, the output would get lost between that of the tests.
 */
async function check(name: string, command: string[]): Promise<() => boolean> {
  const child = Bun.spawn(command, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return () => {
    console.error(`--- ${name}\n${out}${err}`.trimEnd());
    if (code !== 0) console.error(`--- ${name}: failed`);
    return code === 0;
  };
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
