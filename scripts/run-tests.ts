import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, normalize } from "node:path";
import { decodeXML } from "entities";
import { findPrograms, type Program } from "../test/support/programs.ts";
import { firstStart, isUnused, removeData } from "./first-start.ts";

// The second half of scripts/test, which has installed the packages of the lock file.

const testTimeoutMs = 60_000;
/** Tests wait for processes, browsers and timers for a third of their time: one more than there are processors. */
const testProcesses = availableParallelism() + 1;
/**
 * Durations in milliseconds of the files that take longest, which start first: one that started last would run alone.
 * Renew with `./scripts/bun test --parallel --no-isolate --timings=FILE --update-timings`, and keep those of five
 * seconds or more.
 */
const slowestFiles = "test/slowest-files.json";
/** Duration that other files are assumed to take. Bun would start files of unknown duration before all others. */
const otherFilesMs = 1_000;
/**
 * Test files that measure memory or time of their own process, or collect its garbage. Each gets modules and globals of
 * its own: the heap of a process that has run a hundred files is larger, and collecting its garbage takes longer. All
 * other files share the modules of their process, which takes a tenth off the CPU time of the whole run. So no module may
 * keep state that another file notices.
 */
const measuringFile = /\b(?:memoryUsage|cpuUsage|cpuMs|meterEventLoop|Bun\.gc)\b/;

type Counts = { passed: number; failed: number; skipped: number };
type Results = Counts & { namesOfSkipped: string[] };

const root = join(import.meta.dir, "..");
const lint = ["node_modules/oxlint/bin/oxlint", "--deny-warnings"];
const typesConfig = ".oxlintrc.types.json";
const patterns = process.argv.slice(2);
const bun = process.execPath;
const isCi = Boolean(process.env["CI"]);

process.exitCode = await main();

async function main(): Promise<number> {
  const isWhole = patterns.length === 0;
  // A selection of files runs with the programs at hand.
  const missing = isWhole ? installPrograms() : [];
  const isWholeCi = isCi && isWhole;
  const treeBefore = isWholeCi ? workingTree() : undefined;
  // As in the README: the appliance was started here before the tests, and has left its data. Elsewhere than in CI, the
  // data would be in the way of its owner.
  const startsFirst = isWholeCi && isUnused(root);
  if (!(startsFirst ? await start() : run("build", [join(root, "scripts/build")]))) {
    closingLine({ passed: 0, failed: 1, skipped: 0 });
    return 1;
  }

  const checking = [
    check("types", [bun, "check", "-b"]),
    check("lint", [bun, ...lint]),
    check("format", [bun, "fmt", "--check"]),
  ];
  // Takes 8 seconds on two processors, and 1.3 GB.
  if (isWhole) checking.push(check("promises", [bun, ...lint, "--type-aware", `--config=${typesConfig}`]));
  // Elsewhere tests may skip themselves, but not where the result counts.
  if (isCi && missing.length > 0) {
    console.error(`--- programs: failed, CI lacks ${describePrograms(missing)}`);
    checking.push(Promise.resolve(() => false));
  }
  const tests = await runTests();
  const checks = (await Promise.all(checking)).map((end) => end());
  if (startsFirst) {
    removeData(root);
    checks.push(true);
  }
  if (isWholeCi) checks.push(isUnchanged(treeBefore));
  const namesOfSkipped = isWholeCi && !startsFirst ? ["the start, because data/ exists"] : [];

  reportSkipped([...tests.namesOfSkipped, ...namesOfSkipped]);
  // Each check counts as one test: a failed check must not hide behind "0 failed".
  closingLine({
    passed: tests.passed + checks.filter((ok) => ok).length,
    failed: tests.failed + checks.filter((ok) => !ok).length,
    skipped: tests.skipped + namesOfSkipped.length,
  });
  return tests.failed > 0 || checks.includes(false) ? 1 : 0;
}

async function runTests(): Promise<Results> {
  const files = [...new Bun.Glob("test/**/*.test.ts").scanSync(root)]
    .sort()
    .filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(normalize(pattern))));
  const measures = (path: string) => measuringFile.test(readFileSync(join(root, path), "utf8"));
  const { true: measuring = [], false: others = [] } = Object.groupBy(files, (path) => `${measures(path)}`);
  const folder = mkdtempSync(join(tmpdir(), "phishwatch-tests-"));
  const timings = join(folder, "timings.json");
  writeFileSync(timings, JSON.stringify({ version: 1, files: expectedDurations(files) }));
  try {
    console.error("--- tests");
    // The few that measure take less time than the others, which fill the processors until the end.
    const measured = runFiles(measuring, { options: ["--isolate"], report: join(folder, "measured.xml") });
    const shared = await runFiles(others, {
      options: [`--parallel=${testProcesses}`, "--no-isolate", `--timings=${timings}`],
      report: join(folder, "shared.xml"),
      inherit: true,
    });
    return sumOf([shared, await measured]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs test files without blocking, because the checks and other files run at the same time.
 * @param inherit prints the output at once instead of at the end, between that of others
 */
async function runFiles(
  files: string[],
  { options, report, inherit = false }: { options: string[]; report: string; inherit?: boolean },
): Promise<Results> {
  if (files.length === 0) return { passed: 0, failed: 0, skipped: 0, namesOfSkipped: [] };
  const command = [
    bun,
    "test",
    ...options,
    `--timeout=${testTimeoutMs}`,
    "--reporter=junit",
    `--reporter-outfile=${report}`,
    // With "./", a path means this file only.
    ...files.map((path) => `./${path}`),
  ];
  const running = Bun.spawn(command, {
    cwd: root,
    stdio: inherit ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
  });
  const output = [running.stdout, running.stderr].map((stream) => stream && new Response(stream).text());
  const ok = (await running.exited) === 0;
  for (const text of output) if (text) console.error(await text);
  if (!ok) console.error("--- tests: failed");
  const text = existsSync(report) ? readFileSync(report, "utf8") : "";
  const counts = readJunitTotals(text);
  // A file that cannot be loaded, an error between tests, or no test at all fails the
  // run without a failed test to count.
  if ((!ok || counts.passed + counts.failed === 0) && counts.failed === 0) counts.failed = 1;
  return { ...counts, namesOfSkipped: readSkippedNames(text) };
}

function sumOf(results: Results[]): Results {
  const sum = (read: (result: Results) => number) =>
    results.reduce((total, result) => total + read(result), 0);
  const [passed, failed, skipped] = [
    sum((result) => result.passed),
    sum((result) => result.failed),
    sum((result) => result.skipped),
  ];
  return {
    passed,
    // A selection without any file is a mistake.
    failed: passed + failed + skipped === 0 ? 1 : failed,
    skipped,
    namesOfSkipped: results.flatMap(({ namesOfSkipped }) => namesOfSkipped),
  };
}

/** Returns the expected duration of each test file in milliseconds, by path. */
function expectedDurations(files: string[]): Record<string, number> {
  const slowest = JSON.parse(readFileSync(join(root, slowestFiles), "utf8")) as Record<string, number>;
  return { ...Object.fromEntries(files.map((path) => [path, otherFilesMs])), ...slowest };
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

/** Builds and starts the appliance for the first time. Returns whether it worked. */
async function start(): Promise<boolean> {
  console.error("--- start");
  try {
    await firstStart(root);
    return true;
  } catch (error) {
    console.error(error);
    console.error("--- start: failed");
    removeData(root);
    return false;
  }
}

/** Returns what git reports as changed, or undefined in a folder without a repository. */
function workingTree(): string | undefined {
  if (!existsSync(join(root, ".git"))) return undefined;
  // The folder may belong to another user, as in a container.
  const command = ["git", "-c", "safe.directory=*", "status", "--porcelain"];
  return Bun.spawnSync(command, { cwd: root, stderr: "inherit" }).stdout.toString();
}

/** Returns whether the tests and what ran before them left neither new files nor changes. */
function isUnchanged(before: string | undefined): boolean {
  const after = workingTree();
  console.error("--- working tree");
  if (after === before) return true;
  console.error(`${after}--- working tree: failed, it was changed`);
  return false;
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
