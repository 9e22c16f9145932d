/** Top-level domains of names that exist in private networks only. */
const privateNames = /\.(internal|lan|local|localdomain|localhost|test)$/;

/**
 * Returns whether the host of a URL has a public name. Telegram and Discord reject a message that has a button or a title
 * with another address, such as `http://phishwatch:8080/`.
 */
export function hasPublicName(url: string): boolean {
  const host = URL.parse(url)?.hostname ?? "";
  return /\.[a-z][a-z0-9-]*$/.test(host) && !privateNames.test(host);
}
