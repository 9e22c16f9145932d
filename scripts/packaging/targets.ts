/** A platform for which a release contains an archive. */
export interface Target {
  /** Part of the archive's name. */
  name: string;
  /** Suffix of the npm package with the Bun runtime, as in `scripts/bun.sha512`. */
  runtime: string;
  /** Value of Bun's option `--target`. */
  bunTarget: string;
  executable: "phishwatch" | "phishwatch.exe";
  format: "tar.gz" | "zip";
}

const linux = { executable: "phishwatch", format: "tar.gz" } as const;

/** The runtime for x64 detects AVX2 itself, so the package for processors without it has the same bytes. */
export const targets: readonly Target[] = [
  { name: "linux-x64", runtime: "linux-x64", bunTarget: "bun-linux-x64", ...linux },
  {
    name: "linux-x64-baseline",
    runtime: "linux-x64-baseline",
    bunTarget: "bun-linux-x64-baseline",
    ...linux,
  },
  { name: "linux-arm64", runtime: "linux-aarch64", bunTarget: "bun-linux-arm64", ...linux },
  { name: "linux-x64-musl", runtime: "linux-x64-musl", bunTarget: "bun-linux-x64-musl", ...linux },
  { name: "linux-arm64-musl", runtime: "linux-aarch64-musl", bunTarget: "bun-linux-arm64-musl", ...linux },
  { name: "darwin-arm64", runtime: "darwin-aarch64", bunTarget: "bun-darwin-arm64", ...linux },
  {
    name: "windows-x64",
    runtime: "windows-x64",
    bunTarget: "bun-windows-x64",
    executable: "phishwatch.exe",
    format: "zip",
  },
];

/** Processors of the Debian packages and the container image, with the target whose executable they contain. */
export const processors = [
  { debian: "amd64", target: "linux-x64" },
  { debian: "arm64", target: "linux-arm64" },
] as const;

export type DebianArchitecture = (typeof processors)[number]["debian"];
