import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../../src/platform/config/load.ts";
import { openHost } from "../../../src/platform/service/host.ts";
import { planInstallation, planRemoval, type Step } from "../../../src/platform/service/install.ts";
import { temporaryFolder } from "../../support/appliance.ts";
import { runInProcess } from "../../support/run-in-process.ts";

const canChangeOwners = process.platform === "linux" && process.getuid?.() === 0;
const hasUserAdd = existsSync("/usr/sbin/useradd");

describe.if(canChangeOwners && hasUserAdd)("the service of another system", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let executable: string;
  beforeEach(() => {
    folder = temporaryFolder();
    executable = join(folder.path, "archive-phishwatch");
    writeFileSync(executable, "version 1", { mode: 0o755 });
    mkdirSync(at("/etc"), { recursive: true });
    writeFileSync(at("/etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
    writeFileSync(at("/etc/group"), "root:x:0:\nother:x:997:\n");
    writeFileSync(at("/etc/shadow"), "root:*:19000::::::\n");
  });
  afterEach(() => folder.dispose());

  const at = (path: string) => join(folder.path, "root", path);
  const host = () => openHost({ root: at("/"), env: process.env });
  const plan = (force = false) => planInstallation(host(), { executable, force });
  const apply = (steps: Step[]) => steps.map(({ text, apply: applyStep }) => (applyStep(), text));
  const read = (path: string) => readFileSync(at(path), "utf8");
  const accessOf = (path: string) => {
    const { uid, gid, mode } = statSync(at(path));
    return { uid, gid, mode: (mode & 0o777).toString(8) };
  };
  const unit = "/etc/systemd/system/phishwatch.service";

  test("is installed with a user of its own, a configuration that the appliance accepts, and a unit that starts with the system, whatever the umask is", () => {
    const umask = process.umask(0o077);
    const applied = apply(plan());
    process.umask(umask);
    for (const path of ["/usr/local/bin", "/usr", "/etc/systemd/system"])
      expect(accessOf(path).mode).toBe("755");
    expect(applied).toEqual([
      "copy the executable to /usr/local/bin/phishwatch",
      "create the user phishwatch",
      "create the folder /etc/phishwatch",
      "create the folder /etc/phishwatch/credentials",
      "write the configuration /etc/phishwatch/phishwatch.toml",
      `write the unit ${unit}`,
      "enable the service, so that it starts with the system",
    ]);
    const { gid } = host().findUser()!;
    expect(gid).toBeGreaterThan(0);
    expect(read("/etc/passwd")).toMatch(
      /^phishwatch:x:\d+:\d+:phishwatch:\/var\/lib\/phishwatch:\/usr\/sbin\/nologin$/m,
    );
    expect(accessOf("/etc/phishwatch")).toEqual({ uid: 0, gid, mode: "750" });
    expect(accessOf("/etc/phishwatch/phishwatch.toml")).toEqual({ uid: 0, gid, mode: "640" });
    expect(accessOf("/etc/phishwatch/credentials")).toEqual({ uid: 0, gid: 0, mode: "700" });
    expect(accessOf("/usr/local/bin/phishwatch")).toEqual({ uid: 0, gid: 0, mode: "755" });
    expect(readlinkSync(at("/etc/systemd/system/multi-user.target.wants/phishwatch.service"))).toBe(unit);
    const loaded = loadConfig({
      path: at("/etc/phishwatch/phishwatch.toml"),
      env: {},
      readFile: (path) => readFileSync(path),
    });
    expect(loaded).toMatchObject({
      ok: true,
      config: { storage: { path: "/var/lib/phishwatch/phishwatch.db" } },
    });
  });

  test("is not installed or removed through a link that leads out of its folder", () => {
    const outside = join(folder.path, "outside");
    mkdirSync(join(outside, "phishwatch"), { recursive: true });
    writeFileSync(join(outside, "phishwatch/phishwatch.db"), "other");
    mkdirSync(at("/var"));
    symlinkSync(outside, at("/var/lib"));
    expect(() => planRemoval(host(), { purge: true, force: false })).toThrow(
      "/var/lib is a link that leads out of",
    );
    symlinkSync(join(outside, "phishwatch"), at("/etc/phishwatch"));
    expect(() => plan()).toThrow("/etc/phishwatch is a link that leads out of");
    expect(readdirSync(join(outside, "phishwatch"))).toEqual(["phishwatch.db"]);
    rmSync(at("/etc/phishwatch"));
    mkdirSync(at("/etc/real"));
    symlinkSync("real", at("/etc/phishwatch"));
    apply(plan());
    expect(existsSync(at("/etc/real/phishwatch.toml"))).toBe(true);
  });

  test("is complete after the first installation, so that a second one does nothing", () => {
    apply(plan());
    expect(plan()).toEqual([]);
  });

  test("is left alone by a plan that is not applied, as --dry-run does", () => {
    expect(plan()).toHaveLength(7);
    expect([existsSync(at(unit)), existsSync(at("/etc/phishwatch")), host().findUser()]).toEqual([
      false,
      false,
      undefined,
    ]);
  });

  test("keeps its configuration and gets a new executable in an upgrade", () => {
    apply(plan());
    appendFileSync(at("/etc/phishwatch/phishwatch.toml"), "# mine\n");
    writeFileSync(executable, "version 2");
    expect(apply(plan())).toEqual(["replace the executable /usr/local/bin/phishwatch"]);
    expect(read("/usr/local/bin/phishwatch")).toBe("version 2");
    expect(read("/etc/phishwatch/phishwatch.toml")).toEndWith("# mine\n");
  });

  test("may read a configuration that root wrote before the installation", () => {
    mkdirSync(at("/etc/phishwatch"));
    writeFileSync(at("/etc/phishwatch/phishwatch.toml"), "# mine\n", { mode: 0o600 });
    expect(apply(plan())).toContain("let the group phishwatch read /etc/phishwatch/phishwatch.toml");
    expect(accessOf("/etc/phishwatch/phishwatch.toml")).toEqual({
      uid: 0,
      gid: host().findUser()!.gid,
      mode: "640",
    });
    expect(plan()).toEqual([]);
  });

  test("keeps a unit that somebody changed, unless --force replaces it", () => {
    apply(plan());
    writeFileSync(at(unit), read(unit).replace("Restart=on-failure", "Restart=always"));
    expect(() => plan()).toThrow(
      `${unit} was written or changed by somebody else; keep your changes with 'systemctl edit phishwatch'`,
    );
    expect(() => planRemoval(host(), { purge: false, force: false })).toThrow(
      "remove it in any case with --force",
    );
    expect(apply(plan(true))).toEqual([`replace the unit ${unit}`]);
    expect(read(unit)).toContain("Restart=on-failure");
  });

  test("is removed without its data, its configuration and its user, which only --purge deletes", () => {
    apply(plan());
    mkdirSync(at("/var/lib/phishwatch"), { recursive: true });
    const remove = (purge: boolean) => planRemoval(host(), { purge, force: false });
    expect(apply(remove(false))).toEqual([
      "stop and disable the service",
      "delete the executable /usr/local/bin/phishwatch",
    ]);
    expect(existsSync(at(unit))).toBe(false);
    expect(existsSync(at("/etc/systemd/system/multi-user.target.wants/phishwatch.service"))).toBe(false);
    expect(remove(false)).toEqual([]);
    expect(apply(remove(true))).toEqual([
      "delete the database, backups, screenshots and archive /var/lib/phishwatch",
      "delete the configuration and the credentials /etc/phishwatch",
      "delete the user phishwatch",
    ]);
    expect([
      existsSync(at("/etc/phishwatch")),
      existsSync(at("/var/lib/phishwatch")),
      host().findUser(),
    ]).toEqual([false, false, undefined]);
  });

  test("lists what --purge deletes, and deletes it only with --yes", async () => {
    apply(plan());
    const { code, out, err } = await runInProcess(["service", "uninstall", "--purge", "--root", at("/")]);
    expect(code).toBe(1);
    expect(out).toContain("would delete the configuration and the credentials /etc/phishwatch\n");
    expect(err).toBe("phishwatch: nothing was deleted; to delete all of this, add --yes\n");
    expect(existsSync(at(unit))).toBe(true);
    expect((await runInProcess(["service", "uninstall", "--purge", "--yes", "--root", at("/")])).code).toBe(
      0,
    );
    expect(existsSync(at(unit)) || existsSync(at("/etc/phishwatch"))).toBe(false);
  });
});

describe("`service`", () => {
  test("says what to do if it cannot install the service", async () => {
    const sources = await runInProcess(["service", "install", "--root", "/"]);
    // Where systemd runs, the sources are the obstacle.
    expect(sources.err).toMatch(
      /systemd does not run on this system; start 'phishwatch serve'|only the built executable|see 'phishwatch help service'/,
    );
    const missing = await runInProcess(["service", "install", "--root", "/nonexistent"]);
    expect(missing.err).toMatch(/--root \/nonexistent is not a folder|see 'phishwatch help service'/);
    const yes = await runInProcess(["service", "uninstall", "--yes"]);
    expect([yes.code, yes.err]).toEqual([2, "phishwatch: --yes confirms --purge, which is missing\n"]);
  });

  test("rejects a path of the executable that systemd would read as something else", async () => {
    for (const path of ["phishwatch", "/opt/my programs/phishwatch", "/opt/%n", "/opt/$HOME"]) {
      const { code, err } = await runInProcess(["service", "unit", "--executable", path]);
      expect([path, code, err]).toEqual([
        path,
        2,
        expect.stringContaining("--executable must be an absolute path"),
      ]);
    }
  });
});
