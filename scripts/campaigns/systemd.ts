import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../benchmarks/options.ts";
import { phishwatchExecutable } from "../benchmarks/phishwatch.ts";
import { printReport, type Check } from "./report.ts";
import { startSystem, type System } from "./systemd/system.ts";

const options = readOptions({
  benchmark: "systemd",
  script: "campaign",
  summary:
    "Boots Debian with a real systemd in a container of systemd-nspawn, installs the service there, and checks readiness,\n" +
    "watchdog, reload, restart, credentials, Chromium's sandbox and removal. Needs root, systemd-nspawn and debootstrap.",
  options: {
    suite: { default: "bookworm", value: "NAME", description: "release of Debian" },
    chromium: {
      default: "yes",
      value: "yes|no",
      description: "install Chromium and start it in the service",
    },
  },
});

/** Kept between runs, because it is made of Debian's packages. */
const baseFolder = join(import.meta.dir, `../../dist/systemd-root-${options.suite}`);
const packages = ["systemd", "systemd-sysv", "dbus", "procps", "curl", "sqlite3", "sudo"];
/** Installed by apt, because debootstrap cannot choose between alternative dependencies. */
const browserPackages = ["chromium", "chromium-sandbox", "fonts-dejavu-core"];

const folder = mkdtempSync(join(tmpdir(), "phishwatch-campaign-"));
const configFile = "/etc/phishwatch/phishwatch.toml";
const watchdogSeconds = 3;
let system: System | undefined;
try {
  prepareBase();
  // Node's function cannot copy devices.
  execute("cp", "-a", baseFolder, join(folder, "root"));
  mkdirSync(join(folder, "root/root/archive"), { recursive: true });
  cpSync(phishwatchExecutable, join(folder, "root/root/archive/phishwatch"));
  system = await startSystem(join(folder, "root"));
  process.exitCode = await attack(system);
} finally {
  await system?.stop();
  rmSync(folder, { recursive: true, force: true });
}

function prepareBase(): void {
  if (existsSync(join(baseFolder, ".complete"))) return;
  rmSync(baseFolder, { recursive: true, force: true });
  execute("debootstrap", "--variant=minbase", `--include=${packages.join(",")}`, options.suite, baseFolder);
  if (options.chromium === "yes") {
    cpSync("/etc/resolv.conf", join(baseFolder, "etc/resolv.conf"), { dereference: true });
    execute("chroot", baseFolder, "apt-get", "update", "-q");
    execute(
      "chroot",
      baseFolder,
      "env",
      "DEBIAN_FRONTEND=noninteractive",
      "apt-get",
      "install",
      "-q",
      "-y",
      "--no-install-recommends",
      ...browserPackages,
    );
  }
  writeFileSync(join(baseFolder, ".complete"), "");
}

function execute(...command: [string, ...string[]]): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command[0]} failed: ${stdout.toString()}${stderr.toString()}`);
}

async function attack({ run, shell, until }: System): Promise<number> {
  const checks: Check[] = [];
  const figures: [string, string][] = [];
  const check = (guarantee: string, isKept: boolean, detail: string) =>
    void checks.push({ guarantee, violations: isKept ? [] : [detail] });
  const show = (property: string) => shell(`systemctl show -P ${property} phishwatch`).out.trim();
  const isActive = () => show("ActiveState") === "active";
  const restartedAfter = async (signal: string): Promise<boolean> => {
    const pid = show("MainPID");
    // Zero would be the processes of this campaign.
    if (pid === "0") return false;
    shell(`kill -${signal} ${pid}`);
    return await until(() => show("MainPID") !== pid && show("MainPID") !== "0" && isActive());
  };

  figures.push(["systemd", shell("systemctl --version").out.split("\n")[0]!]);
  const startedAt = performance.now();
  const installed = run("/root/archive/phishwatch", "service", "install");
  figures.push(["installation until ready", `${Math.round(performance.now() - startedAt)} ms`]);
  check(
    "one command installs the service and returns when it is ready",
    installed.code === 0 && shell("curl -sf localhost:8080/readyz").code === 0,
    installed.text,
  );
  const again = run("phishwatch", "service", "install");
  check("a second installation does nothing", again.out.startsWith("nothing to do"), again.text);
  const rating = shell("systemd-analyze security --no-pager phishwatch")
    .out.split("\n")
    .find((line) => line.includes("Overall"));
  figures.push(["rating", /: (.*?) /.exec(rating ?? "")?.[1] ?? "none"]);
  check(
    "systemd rates the service OK or better",
    /\b(OK|PERFECT|SAFE)\b/.test(rating ?? ""),
    rating ?? "no rating",
  );

  shell(`mkdir -p /etc/systemd/system/phishwatch.service.d
printf '[Service]\\nWatchdogSec=${watchdogSeconds}s\\nLoadCredential=metrics:/etc/phishwatch/credentials/metrics\\n' > /etc/systemd/system/phishwatch.service.d/test.conf
(umask 077; echo a-secret-of-the-metrics > /etc/phishwatch/credentials/metrics)
sed -i 's/^metrics_token = .*/metrics_token = { credential = "metrics" }/' ${configFile}
systemctl daemon-reload; systemctl restart phishwatch`);
  const metrics = "curl -s -o /dev/null -w '%{http_code}' localhost:8080/metrics";
  const codes = `${shell(metrics).out} ${shell(`${metrics} -H 'Authorization: Bearer a-secret-of-the-metrics'`).out}`;
  check("a credential of systemd reaches the service", codes === "401 200", codes);
  const command = shell("cd / && sudo -u phishwatch phishwatch domains list");
  check(
    "commands of the service's user find its configuration and credentials",
    command.code === 0,
    command.text,
  );
  const foreign = shell(
    "cd / && sudo -u nobody cat /run/credentials/phishwatch.service/metrics /var/lib/phishwatch/phishwatch.db " +
      configFile,
  );
  check(
    "other users can read neither credentials nor data nor configuration",
    foreign.code !== 0 && foreign.out === "",
    foreign.text,
  );

  const pid = show("MainPID");
  await Bun.sleep(3 * watchdogSeconds * 1_000);
  check(
    "signs of life keep the service running",
    show("MainPID") === pid,
    shell("journalctl -u phishwatch -n 20 -o cat").out,
  );
  shell(`echo 'BEGIN IMMEDIATE; SELECT count(*) FROM sqlite_master;
.shell sleep ${3 * watchdogSeconds}
ROLLBACK;' | sqlite3 /var/lib/phishwatch/phishwatch.db`);
  check(
    "a database that another process locks is no reason for a restart",
    show("MainPID") === pid,
    shell("journalctl -u phishwatch -n 20 -o cat").out,
  );
  const stoppedAt = performance.now();
  const hasRestarted = await restartedAfter("STOP");
  figures.push([
    "restart after SIGSTOP",
    `${Math.round(performance.now() - stoppedAt)} ms, with a watchdog of ${watchdogSeconds} s`,
  ]);
  check("the watchdog restarts a process that stands still", hasRestarted, show("ActiveState"));
  check("a killed process is restarted", await restartedAfter("KILL"), show("ActiveState"));

  shell(`sed -i 's/^level = "info"/level = "debug"/' ${configFile}`);
  const reloaded = shell("systemctl reload phishwatch");
  check("systemctl reload applies a changed configuration", reloaded.code === 0 && isActive(), reloaded.text);
  shell(`cp ${configFile} /root/valid.toml; echo 'nonsense = 1' >> ${configFile}`);
  const rejected = shell("systemctl reload phishwatch");
  check(
    "systemctl reload fails with an invalid configuration, and the service goes on",
    rejected.code !== 0 && isActive(),
    rejected.text,
  );
  shell("systemctl stop phishwatch");
  check(
    "the service stops with exit code 0",
    show("ExecMainStatus") === "0" && show("Result") === "success",
    show("Result"),
  );
  const invalid = run("phishwatch", "service", "install");
  await Bun.sleep(7_000);
  check(
    "an invalid configuration is reported with its line, and not started again",
    invalid.code === 1 &&
      invalid.text.includes("nonsense: found an unknown key") &&
      show("NRestarts") === "0",
    invalid.text,
  );
  shell(`cat /root/valid.toml > ${configFile}`);
  check(
    "after a correction, the same command starts the service",
    run("phishwatch", "service", "install").code === 0 && isActive(),
    show("Result"),
  );
  if (options.chromium === "yes") checkChromium(shell, check);

  const purge = run("phishwatch", "service", "uninstall", "--purge");
  check("--purge deletes nothing without --yes", purge.code === 1 && isActive(), purge.text);
  const removed = run("phishwatch", "service", "uninstall");
  check(
    "the removal keeps data and configuration",
    removed.code === 0 &&
      shell(`test -f ${configFile} -a -f /var/lib/phishwatch/phishwatch.db -a ! -e /usr/local/bin/phishwatch`)
        .code === 0,
    removed.text,
  );
  const purged = run("/root/archive/phishwatch", "service", "uninstall", "--purge", "--yes");
  check(
    "--purge --yes deletes everything",
    purged.code === 0 &&
      shell(
        "find / -xdev -name '*phishwatch*' -not -path '/root/archive/*' -not -path '/proc/*' -not -path '/var/log/*' -not -path '/tmp/*' -not -path '/var/tmp/*' | grep .",
      ).code !== 0,
    purged.text,
  );
  return printReport({ figures, checks, command: `scripts/campaign systemd --suite ${options.suite}` });
}

/** Starts Chromium with the permissions of the service, and with one of them less. */
function checkChromium(
  shell: System["shell"],
  check: (guarantee: string, isKept: boolean, detail: string) => void,
): void {
  const start = (edit: string) => {
    const chromium =
      "/usr/bin/chromium --headless=new --disable-gpu --user-data-dir=/tmp/profile --screenshot=/var/lib/phishwatch/page.png data:text/html,page";
    return shell(`rm -f /var/lib/phishwatch/page.png
sed -e 's|^Type=.*|Type=oneshot|; s|^ExecStart=.*|ExecStart=${chromium}|; /^Watchdog/d; /^ExecReload/d; /^Restart/d; ${edit}' /etc/systemd/system/phishwatch.service > /run/systemd/system/chromium-test.service
systemctl daemon-reload; systemctl reset-failed; systemctl start chromium-test; test -s /var/lib/phishwatch/page.png`);
  };
  const whole = start("");
  check(
    "Chromium takes a screenshot in its sandbox with the permissions of the service",
    whole.code === 0,
    shell("journalctl -u chromium-test -n 5 -o cat").out,
  );
  for (const edit of ["s/^RestrictNamespaces=.*/RestrictNamespaces=user pid/", "s/ chroot$//"])
    check(`the permission is needed: ${edit}`, start(edit).code !== 0, "Chromium started without it");
}
