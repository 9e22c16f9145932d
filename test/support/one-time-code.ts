import { createHmac } from "node:crypto";

/** Computes the code of RFC 6238 with another implementation than the product has. */
export function oneTimeCode(secret: string, now: number): string {
  const bits = [...secret].map((c) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0"),
  );
  const key = Buffer.from(
    bits
      .join("")
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  );
  const counter = Buffer.alloc(8);
  counter.writeUInt32BE(Math.floor(now / 30_000), 4);
  const mac = createHmac("sha1", key).update(counter).digest();
  const start = mac.at(-1)! & 15;
  return String((mac.readUInt32BE(start) & 0x7fffffff) % 1e6).padStart(6, "0");
}
