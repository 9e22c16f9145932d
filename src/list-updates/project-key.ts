/**
 * Public key of the project: 32 bytes in base64. Those who publish data updates keep the private key, and sign with
 * `phishwatch data make --key FILE`. To replace the key, create one with `phishwatch data key FILE`.
 */
export const projectKey = "7bm+tyJmZRe5UtZfuZP5dECNg//heCY0zdXuho62juI=";
