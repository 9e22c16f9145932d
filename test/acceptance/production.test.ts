import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { codeBlocks } from "../support/documentation.ts";
import { bootMachine, canBootMachines, type Machine } from "../support/machine.ts";
import { releasedVersions } from "../support/released.ts";

// The life of an installation, typed as the manual prints it: on machines with systemd that have nothing but the programs
// of this system, and no network.

const root = join(import.meta.dir, "../..");
const previous = releasedVersions.find(({ version }) => version === "0.2.0")!;
const address = `http://${/^listen = "(.*)"$/m.exec(previous.configuration)![1]}`;
const newThreat = "signin-example-bank.net";
/** The newest threats of every status. */
const everything = "/v1/threats?per_page=100";
const timeoutMs = 120_000;
let folder: string;

describe.skipIf(!canBootMachines || process.arch !== "x64")("a release archive", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "phishwatch-release-"));
    const words = ["--only", "linux-x64", "--runtime", process.execPath, "--allow-modified"];
    const built = Bun.spawn([join(root, "scripts/release"), "--output", join(folder, "release"), ...words], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const problems = await new Response(built.stderr).text();
    if ((await built.exited) !== 0) throw new Error(problems);
  }, timeoutMs);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test(
    "upgrades a service, backs it up, and restores everything on another machine",
    async () => {
      let before: unknown;
      const recorded = previous.responses.filter(
        ({ path, status }) => status === 200 && !path.includes("severity="),
      );
      {
        await using machine = await bootWithRelease("phishwatch-first");
        await leavePreviousVersion(machine);
        await typeUnpacking(machine);
        const report = await type(machine, "upgrade.md", "sudo -u phishwatch ./phishwatch check --upgrade");
        expect(report).toContain("0.2.0");
        await type(machine, "upgrade.md", "sudo ./phishwatch service install");
        await type(machine, "service.md", "sudo -u phishwatch phishwatch check --running");
        // New versions add fields, and rate threats in other ways.
        for (const { path, body } of recorded)
          expect(await get(machine, path)).toMatchObject(withoutSeverity(body as object));
        await submit(machine, newThreat);
        before = await get(machine, everything);
        expect(JSON.stringify(before)).toContain(newThreat);
        await typeAsService(machine, "backup.md", "phishwatch backup");
        await typeAsService(machine, "backup.md", "phishwatch backups verify --restore");
        await machine.run("cp -r /var/lib/phishwatch/backups /media/shared/backups");
        cpSync(join(machine.shared, "backups"), join(folder, "backups"), { recursive: true });
      }
      await using machine = await bootWithRelease("phishwatch-second");
      cpSync(join(folder, "backups"), join(machine.shared, "backups"), { recursive: true });
      await typeUnpacking(machine);
      await type(machine, "backup.md", "sudo ./phishwatch restore --from /mnt/backups/phishwatch");
      await type(machine, "install.md", "sudo ./phishwatch service install");
      await type(machine, "service.md", "sudo -u phishwatch phishwatch check --running");
      expect(await get(machine, everything)).toEqual(before);
    },
    timeoutMs,
  );
});

function withoutSeverity(body: object): object {
  return JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (key.startsWith("severity") ? undefined : value)),
  ) as object;
}

/** Boots a machine on which an operator has put the files of the release into the current folder. */
async function bootWithRelease(name: string): Promise<Machine> {
  const machine = await bootMachine(name);
  cpSync(join(folder, "release"), join(machine.shared, "release"), { recursive: true });
  await machine.run(`
cat >/usr/local/bin/sudo <<'END'
#!/bin/sh
[ "$1" = -u ] || exec "$@"
user=$2; shift 2
exec setpriv --reuid="$user" --regid="$user" --init-groups "$@"
END
chmod 755 /usr/local/bin/sudo
mkdir -p /mnt/backups
ln -s /media/shared/backups /mnt/backups/phishwatch`);
  return machine;
}

/** Leaves what an installation of the previous version left: its user, its configuration and its database. */
async function leavePreviousVersion({ shared, run }: Machine): Promise<void> {
  const configuration = previous.configuration
    .replace(/^path = "recorded\/.*$/m, 'path = "/var/lib/phishwatch/phishwatch.db"')
    .replace(/^path = "feed"$/m, 'path = "/var/lib/phishwatch/feed"')
    .replace(/\[certificate_logs\][^]*?(?=\[\[protected_domains)/, "");
  writeFileSync(join(shared, "phishwatch.toml"), configuration);
  writeFileSync(join(shared, "phishwatch.db"), previous.database);
  await run(`
useradd --system --user-group --home-dir /var/lib/phishwatch --shell /usr/sbin/nologin phishwatch
install -d -m 750 -g phishwatch /etc/phishwatch
install -m 640 -g phishwatch /media/shared/phishwatch.toml /etc/phishwatch/phishwatch.toml
install -d -m 700 -o phishwatch -g phishwatch /var/lib/phishwatch /var/lib/phishwatch/feed
install -m 600 -o phishwatch -g phishwatch /media/shared/phishwatch.db /var/lib/phishwatch/phishwatch.db`);
}

/** Like `type`, as the user of the service: the page Run as a service says that commands run so. */
function typeAsService(machine: Machine, page: string, start: string): Promise<string> {
  return type(machine, page, start, "sudo -u phishwatch ");
}

async function typeUnpacking(machine: Machine): Promise<void> {
  await type(machine, "install.md", "sha256sum --check");
  await type(machine, "install.md", "tar -xzf");
}

/** Runs the command of a page of the manual that starts like this, in the folder of the release. Returns its output. */
async function type(machine: Machine, page: string, start: string, prefix = ""): Promise<string> {
  const lines = codeBlocks(["sh"])
    .filter(({ file }) => file === `src/manual/${page}`)
    .flatMap(({ code }) => code.replaceAll("\\\n", " ").split("\n"));
  const command = lines.find((line) => line.startsWith(start));
  if (command === undefined) throw new Error(`${page} contains no command that starts with: ${start}`);
  const archive = "phishwatch-0.5.0-linux-x64";
  const where = `cd /media/shared/release; [ ! -d ${archive} ] || cd ${archive}`;
  const { exitCode, out, err } = await machine.run(`${where}\n${prefix}${command}`);
  if (exitCode !== 0) throw new Error(`${command}: exit code ${exitCode}\n${out}${err}`);
  return out + err;
}

/** Returns the response of the appliance on the machine to a request with the key of its configuration. */
async function get(machine: Machine, path: string): Promise<unknown> {
  return JSON.parse(await curl(machine, [`${address}${path}`]));
}

async function submit(machine: Machine, domain: string): Promise<void> {
  const body = JSON.stringify({ domains: [domain] });
  await curl(machine, ["--json", body, `${address}/v1/candidates`]);
}

async function curl({ run }: Machine, words: string[]): Promise<string> {
  const quoted = ["--silent", "--fail", "--header", `Authorization: Bearer ${previous.apiKey}`, ...words]
    .map((word) => `'${word}'`)
    .join(" ");
  const { exitCode, out, err } = await run(`curl ${quoted}`);
  if (exitCode !== 0) throw new Error(`curl: exit code ${exitCode}\n${out}${err}`);
  return out;
}
