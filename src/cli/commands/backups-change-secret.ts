import { readFileSync } from "node:fs";
import { join } from "node:path";
import { headKeys } from "../../operations/backups/repository/format.ts";
import { changeRepositorySecret } from "../../operations/backups/repository/repository.ts";
import { openStore } from "../../operations/backups/stores/open-store.ts";
import { backupSecretRule } from "../../platform/config/sections/backup.ts";
import { requireOwnFolder } from "../../platform/database/files/other-users.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { explained, fromFlag, placeOf } from "../appliance/backup-place.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { fillRandom } from "../appliance/fill-random.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag } from "../terminal/flags.ts";

export const changeSecretCommand = command({
  name: "change-secret",
  arguments: "<file>",
  summary: "let another secret open the encrypted backups",
  details: `The file contains the new secret, on one line. The backups stay as they are: only the key that opens them is encrypted
again. Change backup.encrypt_with afterward.

A copy of the backups from before still opens with the previous secret. If somebody else may have it, start with an empty folder or
prefix instead, and delete the previous backups.`,
  flags: { from: fromFlag, config: configFlag },
  examples: [
    [
      "openssl rand -hex 32 > new-secret && phishwatch backups change-secret new-secret",
      "use a random secret",
    ],
  ],
  async run({ args, options, terminal }) {
    const { backup } = await loadConfiguration(options.config, terminal.env);
    const { location, encryptWith } = placeOf(backup, options.from, "--from");
    if (encryptWith === null)
      throw new FailedError("backup.encrypt_with is not set; it must be the present secret of the backups");
    if (location.kind === "folder") requireOwnFolder(join(location.folder, headKeys[0]));
    const secret = readSecret(args[0] ?? "");
    const signal = terminal.interruption();
    const store = await explained(async () =>
      openStore({ location, clock: systemClock, fillRandom, signal }),
    );
    await explained(() => changeRepositorySecret({ store, previousSecret: encryptWith, secret, fillRandom }));
    terminal.err.write(
      `the new secret opens the backups in ${store.name}; set backup.encrypt_with to it now\n`,
    );
  },
});

/** @throws FailedError, without the secret */
function readSecret(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new FailedError(`${visible(path, 500)} cannot be read: ${messageOf(error)}`);
  }
  const { lengthMin, lengthMax } = backupSecretRule;
  if (text.length >= lengthMin && text.length <= lengthMax && /^[\x21-\x7e]+$/.test(text)) return text;
  throw new FailedError(
    `${visible(path, 500)} must contain ${lengthMin} to ${lengthMax} visible ASCII characters on one line`,
  );
}
