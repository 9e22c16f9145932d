const chromiumNames = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Returns the path of Chromium; without one, the browser tests are skipped. */
export function findChromium(): string | undefined {
  for (const name of chromiumNames) {
    const path = Bun.which(name);
    if (path) return path;
  }
  return undefined;
}
