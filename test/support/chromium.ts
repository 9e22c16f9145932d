const chromiumNames = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Path of the Chromium that browser tests drive; undefined when there is none, and they skip themselves. */
export function findChromium(): string | undefined {
  for (const name of chromiumNames) {
    const path = Bun.which(name);
    if (path) return path;
  }
  return undefined;
}
