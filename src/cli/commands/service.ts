import { resolve } from "node:path";
import {
  configFile,
  installedExecutable,
  isUnitPath,
  renderUnit,
  serviceName,
  stateFolder,
} from "../../platform/service/unit.ts";
import { openHost, requireRoot } from "../../platform/service/host.ts";
import { planInstallation, planRemoval, type Step } from "../../platform/service/install.ts";
import { readServiceStatus } from "../../platform/service/status.ts";
import { command, type CommandGroup, FailedError, UsageError } from "../terminal/command.ts";
import { jsonFlag, text, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

const rootFlag = text(
  "--root <folder>",
  "work on the system in this folder, such as an image, and start nothing",
);
const dryRunFlag = toggle("--dry-run", "print the steps, and change nothing");

const installCommand = command({
  name: "install",
  details: `Copies this executable to ${installedExecutable} (unless it is in /usr or /opt), creates the user ${serviceName} and ${configFile}, writes a
hardened systemd unit, and starts the service. Prints every step. Does only what is missing, so it can be repeated; after an upgrade, it replaces the executable and restarts the service. An existing configuration stays.`,
  flags: { root: rootFlag, dryRun: dryRunFlag, force: toggle("--force") },
  run({ options: { root, dryRun, force }, terminal }) {
    const host = openHost({ root: rootOf(root), env: terminal.env });
    const executable = process.execPath;
    if (!Bun.main.startsWith("/$bunfs/"))
      throw new FailedError(
        "only the built executable can be installed: run scripts/build, then dist/phishwatch",
      );
    if (!dryRun) requireRoot("install the service");
    const steps = planInstallation(host, { executable, force });
    applySteps(steps, { dryRun, terminal, none: "nothing to do: the service is installed" });
    if (dryRun || !host.isLive || steps.length === 0) return;
    terminal.err.write(
      `Configuration: ${configFile}. Data, and the secrets of the first start: ${stateFolder}. Log: journalctl -u ${serviceName}\n`,
    );
  },
});

const uninstallCommand = command({
  name: "uninstall",
  flags: {
    root: rootFlag,
    dryRun: dryRunFlag,
    purge: toggle("--purge"),
    yes: toggle("--yes"),
    force: toggle("--force"),
  },
  run({ options: { root, dryRun, purge, yes, force }, terminal }) {
    if (yes && !purge) throw new UsageError("--yes confirms --purge, which is missing");
    const host = openHost({ root: rootOf(root), env: terminal.env });
    if (!dryRun) requireRoot("remove the service");
    const steps = planRemoval(host, { purge, force });
    const isConfirmed = !purge || yes || steps.length === 0;
    const none = "nothing to do: the service is not installed";
    applySteps(steps, { dryRun: dryRun || !isConfirmed, terminal, none });
    if (!isConfirmed && !dryRun)
      throw new FailedError("nothing was deleted; to delete all of this, add --yes");
    if (!purge && !dryRun)
      terminal.err.write(`kept ${stateFolder}, ${configFile} and the user ${serviceName}\n`);
  },
});

const unitCommand = command({
  name: "unit",
  flags: {
    executable: text("--executable <path>", `path of the executable (default: ${installedExecutable})`),
  },
  run({ options: { executable = installedExecutable }, terminal: { out } }) {
    if (!isUnitPath(executable))
      throw new UsageError("--executable must be an absolute path of letters, digits and . _ + - /");
    out.write(renderUnit({ executable }));
  },
});

const statusCommand = command({
  name: "status",
  flags: { json: jsonFlag },
  run({ options, terminal: { env, out } }) {
    const status = readServiceStatus(openHost({ root: "/", env }));
    if (options.json) printJson(out, status);
    else if (status.load === "not-found")
      throw new FailedError("the service is not installed; run 'sudo phishwatch service install'");
    else {
      const { active, sub, since, enabled, pid, restarts, result, status: own } = status;
      const rows = [
        ["State", `${active} (${sub})${since === "" ? "" : ` since ${since}`}`],
        ["At boot", enabled === "enabled" ? "starts" : `does not start (${enabled})`],
        ["Process", pid === 0 ? `none; the last one ended with: ${result}` : String(pid)],
        ["Restarts", String(restarts)],
        ...(own === "" ? [] : [["Appliance", own]]),
      ];
      for (const [name, value] of rows) out.write(`${name!.padEnd(10)} ${value}\n`);
    }
    if (status.active !== "active" && status.active !== "reloading")
      throw new FailedError(`the service is ${status.active}`);
  },
});

export const serviceCommands: CommandGroup = {
  name: "service",
  commands: [installCommand, uninstallCommand, unitCommand, statusCommand],
};

function rootOf(given: string | undefined): string {
  return given === undefined ? "/" : resolve(given);
}

/** Prints each step, and applies it unless this is a dry run. */
function applySteps(
  steps: readonly Step[],
  { dryRun, terminal: { out }, none }: { dryRun: boolean; terminal: Terminal; none: string },
): void {
  if (steps.length === 0) out.write(`${none}\n`);
  for (const { text: what, apply } of steps) {
    out.write(`${dryRun ? "would " : ""}${what}\n`);
    out.flush();
    if (!dryRun) apply();
  }
  out.flush();
}
