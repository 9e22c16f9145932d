/** Load command of the code signature: LC_CODE_SIGNATURE in mach-o/loader.h. */
const codeSignatureCommand = 0x1d;
/** CSMAGIC_EMBEDDED_SIGNATURE and CSMAGIC_CODEDIRECTORY in the headers of XNU. Signatures are big-endian. */
const signatureMagic = 0xfade0cc0;
const directoryMagic = 0xfade0c02;
const sha256Type = 2;

/**
 * Compares the code signature of an executable for macOS on arm64 with its content: macOS ends a program of which a page
 * does not match. Returns the number of pages.
 * @throws if the executable is not signed, or a page differs
 */
export function verifySignature(executable: Buffer): number {
  const signature = findSignature(executable);
  if (signature.readUInt32BE(0) !== signatureMagic) throw new Error("unknown form of signature");
  const parts = signature.readUInt32BE(8);
  for (let index = 0; index < parts; index++) {
    const directory = signature.subarray(signature.readUInt32BE(16 + 8 * index));
    if (directory.readUInt32BE(0) === directoryMagic) return comparePages(executable, directory);
  }
  throw new Error("the signature lists no pages");
}

function findSignature(executable: Buffer): Buffer {
  const commands = executable.readUInt32LE(16);
  let offset = 32;
  for (let index = 0; index < commands; index++) {
    if (executable.readUInt32LE(offset) === codeSignatureCommand) {
      const start = executable.readUInt32LE(offset + 8);
      return executable.subarray(start, start + executable.readUInt32LE(offset + 12));
    }
    offset += executable.readUInt32LE(offset + 4);
  }
  throw new Error("the executable is not signed");
}

function comparePages(executable: Buffer, directory: Buffer): number {
  const hashes = directory.readUInt32BE(16);
  const pages = directory.readUInt32BE(28);
  const end = directory.readUInt32BE(32);
  const hashBytes = directory.readUInt8(36);
  if (directory.readUInt8(37) !== sha256Type) throw new Error("unknown kind of checksum in the signature");
  const pageBytes = 2 ** directory.readUInt8(39);
  for (let page = 0; page < pages; page++) {
    const bytes = executable.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, end));
    const listed = directory.subarray(hashes + page * hashBytes, hashes + (page + 1) * hashBytes);
    if (!new Bun.CryptoHasher("sha256").update(bytes).digest().equals(listed)) {
      throw new Error(`page ${page} differs from the signature`);
    }
  }
  return pages;
}
