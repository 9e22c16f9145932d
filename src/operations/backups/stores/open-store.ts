import type { BackupLocation } from "../../../platform/config/sections/backup.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import { createSystemResolver } from "../../../platform/network/dns/resolve-with-system.ts";
import { createHttpClient } from "../../../platform/network/http/http-client.ts";
import { createFolderStore } from "./folder-store.ts";
import { createS3Store } from "./s3-store.ts";
import { StoreError, type BackupStore } from "./store.ts";

/**
 * Opens the place where backups are kept, without connecting to it.
 * @param signal ends requests that are in flight, with an error
 * @throws StoreError `no_permission` for a bucket without credentials
 */
export function openStore({
  location,
  clock,
  fillRandom,
  signal,
}: Needs<"clock" | "fillRandom"> & { location: BackupLocation; signal: AbortSignal }): BackupStore {
  if (location.kind === "folder") return createFolderStore({ folder: location.folder, fillRandom });
  const { bucket, prefix, settings } = location;
  const { endpoint, region, accessKey, secretKey } = settings;
  if (accessKey === null || secretKey === null)
    throw new StoreError(
      "no_permission",
      `backups in s3://${bucket}: set backup.s3_access_key and backup.s3_secret_key`,
    );
  const client = createHttpClient({
    // The operator chooses the endpoint. Addresses of metadata services are still rejected.
    rules: { allowPrivateNetworks: true },
    resolveHost: createSystemResolver({ clock }),
  });
  const credentials = { region, accessKey, secretKey };
  return createS3Store({ location: { bucket, prefix, endpoint, credentials }, client, clock, signal });
}
