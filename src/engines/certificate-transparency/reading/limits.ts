/** Limits of requests for both protocols. */
export interface ReadLimits {
  /** Timeout of tree heads and tiles of hashes. */
  headTimeoutMs: number;
  /** Timeout of entries and proofs. */
  entryTimeoutMs: number;
  /** Size of a response with entries or a proof, up to which several are read at the same time. */
  bytesMax: number;
  /** Size up to which a response that cannot be made smaller is read, one at a time. */
  largeBytesMax: number;
}

const mebibyte = 1024 * 1024;

export const readLimits: ReadLimits = {
  headTimeoutMs: 20_000,
  // Some logs take 30 s for 256 entries.
  entryTimeoutMs: 60_000,
  // Usual responses have 0.4 to 1.4 MB.
  bytesMax: 4 * mebibyte,
  // A tile with 256 certificates of 128 KiB, each in two forms.
  largeBytesMax: 64 * mebibyte,
};
