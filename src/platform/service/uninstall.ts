import { existsSync, rmSync } from "node:fs";
import { StartError } from "../lib/errors.ts";
import { contentOf } from "./files.ts";
import type { Host } from "./host.ts";
import { readMarker, type Step } from "./install.ts";
import { configFolder, installedExecutable, serviceName, stateFolder, unitFile, unitLink } from "./unit.ts";

/**
 * Returns the steps that remove what `service install` made. Data, configuration and the user stay, unless they are
 * purged.
 * @throws StartError if somebody else wrote the unit and `force` is not set
 */
export function planRemoval(host: Host, { purge, force }: { purge: boolean; force: boolean }): Step[] {
  const { at } = host;
  const unit = contentOf(at(unitFile))?.toString();
  const marker = unit === undefined ? undefined : readMarker(unit);
  if (unit !== undefined && marker === undefined && !force)
    throw new StartError(
      `${unitFile} was written or changed by somebody else; remove it in any case with --force`,
      { exitCode: 1 },
    );
  const steps: Step[] = [];
  const remove = (path: string, what: string) => {
    if (existsSync(at(path)))
      steps.push({
        text: `delete ${what} ${path}`,
        apply: () => rmSync(at(path), { recursive: true, force: true }),
      });
  };
  if (unit !== undefined)
    steps.push({
      text: "stop and disable the service",
      apply() {
        host.systemctl("stop", serviceName);
        rmSync(at(unitLink), { force: true });
        rmSync(at(unitFile), { force: true });
        host.systemctl("daemon-reload");
      },
    });
  if (marker?.copiedExecutable === true) remove(installedExecutable, "the executable");
  if (!purge) return steps;
  remove(`${unitFile}.d`, "the drop-ins");
  remove(stateFolder, "the database, backups, screenshots and archive");
  remove(configFolder, "the configuration and the credentials");
  if (host.findUser() !== undefined)
    steps.push({ text: `delete the user ${serviceName}`, apply: () => host.removeUser() });
  return steps;
}
