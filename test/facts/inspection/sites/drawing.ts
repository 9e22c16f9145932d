import { crc32, deflateSync } from "node:zlib";

/** Shapes of a mark, in a square of 100 × 100 units, painted in their order. */
export type Shape =
  | { kind: "circle"; x: number; y: number; radius: number; color: string }
  | { kind: "box"; x: number; y: number; width: number; height: number; round: number; color: string }
  | { kind: "polygon"; points: [number, number][]; color: string };

export interface Raster {
  width: number;
  height: number;
  /** Red, green, blue and alpha of each pixel, row by row. */
  pixels: Uint8Array;
}

/** Samples per pixel and axis, which smooth edges. */
const samples = 3;

export function blank(width: number, height: number, color?: string): Raster {
  const pixels = new Uint8Array(width * height * 4);
  if (color !== undefined) {
    const [red, green, blue] = channels(color);
    for (let at = 0; at < pixels.length; at += 4) pixels.set([red, green, blue, 255], at);
  }
  return { width, height, pixels };
}

/** Paints shapes into the square with this corner and side. */
export function paint(raster: Raster, shapes: readonly Shape[], left: number, top: number, side: number) {
  for (const shape of shapes) {
    const color = channels(shape.color);
    for (let y = Math.max(0, top); y < Math.min(raster.height, top + side); y++) {
      for (let x = Math.max(0, left); x < Math.min(raster.width, left + side); x++) {
        let inside = 0;
        for (let sub = 0; sub < samples * samples; sub++) {
          const unitX = ((x - left + ((sub % samples) + 0.5) / samples) / side) * 100;
          const unitY = ((y - top + (Math.floor(sub / samples) + 0.5) / samples) / side) * 100;
          if (contains(shape, unitX, unitY)) inside++;
        }
        if (inside > 0) blend(raster, x, y, color, inside / (samples * samples));
      }
    }
  }
}

/** Paints capital letters, digits and spaces with a font of 5 × 7 cells. Returns the width in pixels. */
export function write(
  raster: Raster,
  text: string,
  { left, top, height, color }: { left: number; top: number; height: number; color: string },
): number {
  const cell = height / 7;
  const rgb = channels(color);
  [...text.toUpperCase()].forEach((letter, index) => {
    const rows = font[letter];
    if (rows === undefined) return;
    const start = left + index * cell * 6;
    for (let y = Math.floor(top); y < Math.min(raster.height, top + height); y++) {
      for (let x = Math.floor(start); x < Math.min(raster.width, start + cell * 5); x++) {
        let inside = 0;
        for (let sub = 0; sub < samples * samples; sub++) {
          const column = Math.floor((x - start + ((sub % samples) + 0.5) / samples) / cell);
          const row = Math.floor((y - top + (Math.floor(sub / samples) + 0.5) / samples) / cell);
          if (column >= 0 && column < 5 && row >= 0 && row < 7 && (rows[row]! >> (4 - column)) & 1) inside++;
        }
        if (inside > 0 && x >= 0 && y >= 0) blend(raster, x, y, rgb, inside / (samples * samples));
      }
    }
  });
  return Math.ceil(text.length * cell * 6);
}

/** Writes a PNG file (RFC 2083) with eight bits per channel. */
export function pngOf({ width, height, pixels }: Raster): Uint8Array<ArrayBuffer> {
  const rows = Buffer.alloc(height * (width * 4 + 1));
  for (let y = 0; y < height; y++)
    rows.set(pixels.subarray(y * width * 4, (y + 1) * width * 4), y * (width * 4 + 1) + 1);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const start = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  return Buffer.concat([
    start,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Writes an icon file with one image: a PNG file, or a bitmap as in older icons. */
export function icoOf(raster: Raster, content: "png" | "bitmap"): Uint8Array<ArrayBuffer> {
  const image = content === "png" ? pngOf(raster) : bitmapOf(raster);
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.set([raster.width & 0xff, raster.height & 0xff, 0, 0], 6);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(image.length, 14);
  head.writeUInt32LE(22, 18);
  return Buffer.concat([head, image]);
}

/** Returns the markup of an SVG picture: the mark, and the name beside it if one is given. */
export function svgOf(shapes: readonly Shape[], wordmark?: { text: string; color: string; font: string }) {
  const width = wordmark === undefined ? 100 : 130 + wordmark.text.length * 42;
  const parts = shapes.map((shape) => {
    const fill = `fill="${shape.color}"`;
    if (shape.kind === "circle")
      return `<circle cx="${shape.x}" cy="${shape.y}" r="${shape.radius}" ${fill}/>`;
    if (shape.kind === "box")
      return `<rect x="${shape.x}" y="${shape.y}" width="${shape.width}" height="${shape.height}" rx="${shape.round}" ${fill}/>`;
    return `<path d="M${shape.points.map((point) => point.join(" ")).join("L")}Z" ${fill}/>`;
  });
  if (wordmark !== undefined)
    parts.push(
      `<text x="120" y="72" font-family="${wordmark.font}" font-size="64" font-weight="700" fill="${wordmark.color}">${wordmark.text}</text>`,
    );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 100" height="40">${parts.join("")}</svg>`;
}

function contains(shape: Shape, x: number, y: number): boolean {
  if (shape.kind === "circle") return (x - shape.x) ** 2 + (y - shape.y) ** 2 <= shape.radius ** 2;
  if (shape.kind === "box") {
    const { round } = shape;
    const overX = Math.max(shape.x + round - x, x - (shape.x + shape.width - round), 0);
    const overY = Math.max(shape.y + round - y, y - (shape.y + shape.height - round), 0);
    return round === 0 ? overX === 0 && overY === 0 : overX ** 2 + overY ** 2 <= round ** 2;
  }
  let inside = false;
  const { points } = shape;
  for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
    const [fromX, fromY] = points[j]!;
    const [toX, toY] = points[i]!;
    if (toY > y !== fromY > y && x < ((fromX - toX) * (y - toY)) / (fromY - toY) + toX) inside = !inside;
  }
  return inside;
}

function blend(raster: Raster, x: number, y: number, color: readonly number[], share: number) {
  const at = (y * raster.width + x) * 4;
  const under = raster.pixels[at + 3]! / 255;
  const alpha = share + under * (1 - share);
  for (let channel = 0; channel < 3; channel++)
    raster.pixels[at + channel] =
      (color[channel]! * share + raster.pixels[at + channel]! * under * (1 - share)) / alpha;
  raster.pixels[at + 3] = alpha * 255;
}

function channels(color: string): [number, number, number] {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

function chunk(type: string, content: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type), content]);
  const result = Buffer.alloc(body.length + 8);
  result.writeUInt32BE(content.length, 0);
  result.set(body, 4);
  result.writeUInt32BE(crc32(body), body.length + 4);
  return result;
}

/** A bitmap as icons contain it: twice the height, rows from the bottom, and a mask. */
function bitmapOf({ width, height, pixels }: Raster): Uint8Array {
  const mask = Math.ceil(width / 32) * 4 * height;
  const file = Buffer.alloc(40 + width * height * 4 + mask);
  file.writeUInt32LE(40, 0);
  file.writeInt32LE(width, 4);
  file.writeInt32LE(height * 2, 8);
  file.writeUInt16LE(1, 12);
  file.writeUInt16LE(32, 14);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const from = ((height - 1 - y) * width + x) * 4;
      const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.subarray(from, from + 4);
      file.set([blue, green, red, alpha], 40 + (y * width + x) * 4);
    }
  return file;
}

/** Rows of each letter from the top; the highest of five bits is the leftmost cell. */
const font: Record<string, number[]> = Object.fromEntries(
  (
    "A0E11111F111111 B1E11111E11111E C0E11101010110E D1E11111111111E E1F10101E10101F F1F10101E101010 G0E11101711110F " +
    "H1111111F111111 I0E04040404040E J0702020202120C K11121418141211 L1010101010101F M111B1515111111 N11191513111111 " +
    "O0E11111111110E P1E11111E101010 Q0E11111115120D R1E11111E141211 S0F10100E01011E T1F040404040404 U1111111111110E " +
    "V11111111110A04 W11111115151B11 X11110A040A1111 Y11110A04040404 Z1F01020408101F 00E11131519110E 1040C040404040E " +
    "20E11010204081F 31F02040201110E 402060A121F0202 51F101E0101110E 60608101E11110E 71F010204080808 80E11110E11110E 90E11110F01020C"
  )
    .split(" ")
    .map((entry) => [
      entry[0]!,
      entry
        .slice(1)
        .match(/../g)!
        .map((row) => Number.parseInt(row, 16)),
    ]),
);
