import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debName } from "../debian/deb.ts";
import { NotRunnable, requirePrograms, run, type Environment } from "./environment.ts";
import { smokeTest } from "./smoke.ts";

/**
 * Installs, upgrades, removes and purges the Debian package in a copy of this machine's root folder, which an overlay
 * provides: the machine does not change. Returns what was done.
 * @throws NotRunnable if this is not Debian, or the user is not root
 */
export async function checkDebianPackage(release: string, { port }: { port: number }): Promise<string> {
  requirePrograms({
    "dpkg-deb": "dpkg",
    "systemd-sysusers": "systemd",
    unshare: "util-linux",
    lintian: "lintian",
  });
  if (process.getuid?.() !== 0) throw new NotRunnable("packages can be installed by root only");
  const name = debName("amd64");
  const findings = run(["lintian", "--allow-root", "--tag-display-limit", "0", join(release, name)]);
  if (findings !== "") throw new Error(`lintian reports:\n${findings}`);

  const home = mkdtempSync(join(tmpdir(), "phishwatch-deb-"));
  try {
    for (const folder of ["upper", "work", "root", "data"]) mkdirSync(join(home, folder), { mode: 0o755 });
    const inside = (...words: string[]) => [...overlay(home, release), ...words];
    const shell = (script: string) => run(inside("sh", "-eu", "-c", script));
    shell(`dpkg -i "/release/${name}" >&2
test "$(stat -c '%a %U:%G' /etc/phishwatch/phishwatch.toml)" = '640 root:phishwatch'
test "$(stat -c '%a %U:%G' /etc/phishwatch)" = '750 root:phishwatch'
cd / && dpkg --verify phishwatch
echo '# changed by the administrator' >>/etc/phishwatch/phishwatch.toml`);
    const environment: Environment = {
      title: name,
      folder: "/data",
      command: (words) =>
        inside(
          "setpriv",
          "--reuid=phishwatch",
          "--regid=phishwatch",
          "--clear-groups",
          "phishwatch",
          ...words,
        ),
      dispose() {},
    };
    shell("chown phishwatch:phishwatch /data");
    await smokeTest(environment, { port });
    // Again, as an upgrade does, without a question about the changed file; then everything but the data is removed.
    shell(`dpkg --force-confold -i "/release/${name}" >&2
grep -q 'changed by the administrator' /etc/phishwatch/phishwatch.toml
mkdir -p /var/lib/phishwatch && touch /var/lib/phishwatch/phishwatch.db
dpkg --remove phishwatch >&2
test ! -e /usr/bin/phishwatch && test -e /etc/phishwatch/phishwatch.toml
dpkg --purge phishwatch >&2
test ! -e /etc/phishwatch && test -e /var/lib/phishwatch/phishwatch.db`);
    return `${name}, installed, upgraded, removed and purged by dpkg in a copy of this machine's root folder`;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Returns a command that runs its arguments in a copy of the root folder. Changes to it remain in `home`. */
function overlay(home: string, release: string): string[] {
  const script = `home=$0 release=$1; shift
mount -t overlay overlay -o "lowerdir=/,upperdir=$home/upper,workdir=$home/work" "$home/root"
mkdir -p "$home/root/release" "$home/root/data"
mount --bind "$release" "$home/root/release"
mount --bind "$home/data" "$home/root/data"
mount -t proc proc "$home/root/proc"
mount --rbind /dev "$home/root/dev"
exec chroot "$home/root" "$@"`;
  return ["unshare", "--mount", "sh", "-eu", "-c", script, home, release];
}

/** Returns the line of /etc/os-release that names the system. */
export function systemName(): string {
  return /^PRETTY_NAME="(.+)"$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? "this system";
}
