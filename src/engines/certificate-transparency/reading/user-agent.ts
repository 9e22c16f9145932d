/**
 * Returns the User-Agent of requests to logs and lists. Operators of logs limit clients without a contact more strictly,
 * and recognize one by "@" or "https://".
 * @param contact email address or URL
 */
export function userAgentOf({ version, contact }: { version: string; contact: string | null }): string {
  return contact === null ? `phishwatch/${version}` : `phishwatch/${version} (+${contact})`;
}
