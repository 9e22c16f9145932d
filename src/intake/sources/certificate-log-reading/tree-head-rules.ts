import { LogError, type TreeHead } from "../../../engines/certificate-transparency/log.ts";

/**
 * Compares a tree head with an earlier one of the same log. A smaller tree that was signed earlier comes from a replica
 * that lags behind.
 * @throws LogError `mismatch` if the log has taken entries back, or has signed two different trees of one size
 */
export function checkHead(head: TreeHead, { previous }: { previous: TreeHead }): void {
  if (head.size < previous.size && head.timestamp > previous.timestamp)
    throw new LogError("mismatch", `the log shrank from ${previous.size} to ${head.size} entries`);
  if (head.size === previous.size && Buffer.compare(head.rootHash, previous.rootHash) !== 0)
    throw new LogError("mismatch", `the log signed two different trees of ${head.size} entries`);
}
