import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { sha256 } from "../archives.ts";
import { root } from "../source.ts";

/** A package of Debian at a fixed version. */
export interface PinnedPackage {
  name: string;
  version: string;
  architecture: string;
  /** SHA-256 of the file, in hexadecimal. */
  sha256: string;
}

/** Release of Debian from which packages are taken. */
const suite = "trixie";
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
const folder = join(root, ".tools/debian");

/**
 * Returns the path of a package's file, from `.tools/debian` or with apt-get. apt-get runs with folders of its own, so
 * that the machine's lists and architectures do not change, and uses the Debian mirror of the machine.
 * @throws if the package cannot be fetched, or its checksum differs
 */
export async function fetchDebianPackage(wanted: PinnedPackage): Promise<string> {
  const { name, version, architecture } = wanted;
  const fileName = `${name}_${version}_${architecture}.deb`;
  const path = join(folder, fileName);
  if (!existsSync(path)) await download(wanted, path);
  const checksum = sha256(readFileSync(path));
  if (checksum !== wanted.sha256) {
    throw new Error(`${path} has the SHA-256 ${checksum} instead of ${wanted.sha256}. Delete the file.`);
  }
  return path;
}

async function download({ name, version, architecture }: PinnedPackage, path: string): Promise<void> {
  const advice =
    `Put the file into ${folder}; every version is in Debian's snapshot archive. ` +
    `Or change the version and checksum in ${import.meta.dir}/base.ts.`;
  if (Bun.which("apt-get") === null)
    throw new Error(`${name} ${version} needs apt-get, which is missing. ${advice}`);
  mkdirSync(folder, { recursive: true });
  const staging = mkdtempSync(join(folder, "staging-"));
  try {
    for (const subfolder of ["lists/partial", "cache/archives/partial"]) {
      mkdirSync(join(staging, subfolder), { recursive: true });
    }
    writeFileSync(join(staging, "status"), "");
    const source = `deb [arch=${architecture} signed-by=${keyring}] ${debianMirror()} ${suite} main\n`;
    writeFileSync(join(staging, "sources.list"), source);
    writeFileSync(join(staging, "apt.conf"), aptConfiguration(staging, architecture));
    const aptGet = async (...words: string[]) => {
      const child = Bun.spawn(["apt-get", "-q", ...words], {
        cwd: staging,
        env: { ...process.env, APT_CONFIG: join(staging, "apt.conf") },
        stdio: ["ignore", "ignore", "inherit"],
      });
      return (await child.exited) === 0;
    };
    const fetched =
      (await aptGet("update")) && (await aptGet("download", `${name}:${architecture}=${version}`));
    // apt-get encodes the colon of an epoch in the file's name.
    const found = readdirSync(staging).find((file) => file.endsWith(".deb"));
    if (!fetched || found === undefined) {
      throw new Error(`Debian ${suite} does not provide ${name} ${version}. ${advice}`);
    }
    renameSync(join(staging, found), path);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function aptConfiguration(home: string, architecture: string): string {
  return `APT::Architecture "${architecture}";
APT::Architectures { "${architecture}"; };
APT::Sandbox::User "";
Acquire::Languages "none";
Dir::State "${home}";
Dir::State::status "${home}/status";
Dir::Cache "${home}/cache";
Dir::Etc::sourcelist "${home}/sources.list";
Dir::Etc::sourceparts "-";
`;
}

/** Returns the address of the Debian mirror that the machine uses. @throws if it uses none */
function debianMirror(): string {
  const configured = Bun.spawnSync([
    "apt-get",
    "indextargets",
    "--format",
    "$(SITE) $(REPO_URI)",
    "Created-By: Packages",
  ]);
  const line = configured.stdout
    .toString()
    .split("\n")
    .find((text) => /\/debian\/?$/.test(text));
  if (line === undefined)
    throw new Error("the machine has no source of Debian packages that ends with /debian");
  return line.split(" ")[1]!;
}
