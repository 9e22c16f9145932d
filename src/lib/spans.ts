/** A length of time in the unit that fits: `0.4 s`, `42 s`, `12 min`, `3 h 5 min`, `4 days`. */
export function spanText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.round(minutes / 1_440)} days`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/** A number of bytes in the unit that fits, as storage is counted (IEC 80000-13): `812 B`, `1.4 MiB`. */
export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const count = bytes / 1024 ** power;
  return `${power === 0 || count >= 99.5 ? Math.round(count) : count.toFixed(1)} ${units[power]}`;
}
