import type { Random } from "../../benchmarks/random.ts";

const headerBytes = 12;
const messageBytesMax = 65_000;
const typeAndClassBytes = 4;
/** Response, recursion desired and available. */
const flagsOfResponse = 0x8180;
const flagTruncated = 0x0200;

/** Returns a response to `query` that is made to harm its parser. */
export function hostileDnsMessage(random: Random, query: Buffer): Buffer {
  const questionEnd = query.indexOf(0, headerBytes) + 1 + typeAndClassBytes;
  const question = query.subarray(headerBytes, questionEnd);
  const header = Buffer.alloc(headerBytes);
  query.copy(header, 0, 0, 2);
  const truncated = random.below(10) === 0 ? flagTruncated : 0;
  header.writeUInt16BE(flagsOfResponse | truncated | random.pick([0, 0, 0, 2, 3, 5]), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(random.pick([0, 1, 2, 4_000, 65_535]), 6);
  const bytesMax = random.pick([0, 40, 1_000, messageBytesMax - questionEnd]);
  const parts: Buffer[] = [header, question];
  let length = questionEnd;
  while (length < questionEnd + bytesMax) {
    const part = Buffer.concat([owner(random, length), record(random)]);
    parts.push(part);
    length += part.length;
  }
  const message = Buffer.concat(parts).subarray(0, messageBytesMax);
  if (random.below(3) === 0)
    for (let changes = 1 + random.below(9); changes > 0; changes -= 1)
      message[2 + random.below(message.length - 2)] = random.below(256);
  return message;
}

function owner(random: Random, at: number): Buffer {
  const pointer = (to: number) => Buffer.from([0xc0 | ((to >> 8) & 0x3f), to & 0xff]);
  switch (random.below(5)) {
    case 0:
      return pointer(headerBytes);
    case 1:
      return pointer(at);
    case 2:
      return pointer(random.below(0x4000));
    case 3:
      return Buffer.concat([Buffer.from([63]), Buffer.alloc(63, random.below(256)), pointer(headerBytes)]);
    default:
      return Buffer.from([0]);
  }
}

function record(random: Random): Buffer {
  const length = random.pick([0, 4, 16, 255, 3_000]);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(random.pick([1, 2, 5, 6, 15, 16, 28, 41, 255, random.below(65_536)]), 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(random.below(2 ** 31), 4);
  fixed.writeUInt16BE(random.below(20) === 0 ? random.below(65_536) : length, 8);
  const data = Buffer.alloc(length);
  random.fill(data);
  return Buffer.concat([fixed, data]);
}
