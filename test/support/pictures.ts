/** Returns an image as WebP; `draw` returns the gray value of each pixel. */
export async function webpOf(
  width: number,
  height: number,
  draw: (x: number, y: number) => number,
): Promise<Uint8Array> {
  return new Bun.Image(bitmap(width, height, draw)).webp({ quality: 80 }).bytes();
}

/** Returns a BMP file, which is simple enough to write by hand: rows from the bottom; blue, green, red. */
export function bitmap(
  width: number,
  height: number,
  draw: (x: number, y: number) => number,
): Uint8Array<ArrayBuffer> {
  const row = Math.ceil((width * 3) / 4) * 4;
  const file = Buffer.alloc(54 + row * height);
  file.write("BM");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      file.fill(draw(x, height - 1 - y), 54 + y * row + x * 3, 57 + y * row + x * 3);
  return file;
}
