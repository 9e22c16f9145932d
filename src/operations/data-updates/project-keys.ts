/**
 * Public keys, each 32 bytes in base64, whose data updates are accepted in addition to those of `data.trusted_keys`. There is
 * none yet. Those who publish releases add theirs, and keep the private key: see "A key for data updates" in CONTRIBUTING.md.
 */
export const projectKeys: readonly string[] = [];
