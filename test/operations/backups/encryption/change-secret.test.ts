import { join } from "node:path";
import { afterAll, expect, test } from "bun:test";
import { newEncryption } from "../../../../src/operations/backups/encryption/encrypted-store.ts";
import { createFolderStore } from "../../../../src/operations/backups/stores/folder-store.ts";
import { commandFolder, defaultConfig } from "../../../support/command-line.ts";
import { fillRandom } from "../../../support/standby-world.ts";

const secrets = { previous: "previous-secret-of-backups", next: "next-secret-of-the-backups" };
const configWith = (secret: string) =>
  `${defaultConfig}[backup]\nfolder = "backups"\nencrypt_with = "${secret}"\n`;
const folder = commandFolder(configWith(secrets.previous));
afterAll(folder.dispose);

test("phishwatch backups change-secret lets the new secret open the backups, and the previous one no longer", async () => {
  const store = createFolderStore({ folder: join(folder.path, "backups"), fillRandom });
  const id = "0123456789abcdef0123456789abcdef";
  const { encryption } = await newEncryption({
    id,
    secret: secrets.previous,
    fillRandom,
    cost: { n: 2 ** 10, r: 8, p: 1 },
  });
  const head = { format: 1, id, createdAt: "2026-01-31T00:00:00.000Z", encryption };
  await store.put("phishwatch-backups.json", Buffer.from(JSON.stringify(head)));

  const tooShort = await folder.run(["backups", "change-secret", folder.file("short", "short-secret\n")]);
  expect(tooShort.code).toBe(1);
  expect(tooShort.err).toContain("16 to 200 visible ASCII");
  expect(tooShort.err).not.toContain("short-secret");

  const changed = await folder.run(["backups", "change-secret", folder.file("next", `${secrets.next}\n`)]);
  expect(changed).toMatchObject({
    code: 0,
    err: expect.stringContaining("set backup.encrypt_with to it now"),
  });
  expect(await folder.run(["backups", "list"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("backup.encrypt_with is not the secret"),
  });
  folder.file("phishwatch.toml", configWith(secrets.next));
  expect(await folder.run(["backups", "list"])).toMatchObject({
    code: 0,
    err: "no backups; 'phishwatch backup' makes one\n",
  });
});
