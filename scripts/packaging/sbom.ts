import type { BundledPackage } from "./bundled-packages.ts";
import { bunVersion, runtimeComponents } from "./runtime-components.ts";
import { projectPackage } from "./source.ts";

const bunSource = "https://github.com/oven-sh/bun";

/**
 * Returns the list of components in the executable, in the format CycloneDX 1.5. Its serial number follows from its
 * content, so that two builds of one commit are equal.
 */
export function renderSbom({
  packages,
  commit,
  timeS,
  target,
}: {
  packages: readonly BundledPackage[];
  commit: string;
  timeS: number;
  /** Name of the platform, such as `linux-x64`. */
  target: string;
}): string {
  const application = `pkg:generic/phishwatch@${projectPackage.version}`;
  const runtime = `pkg:github/oven-sh/bun@bun-v${bunVersion}`;
  const npm = packages.map((each) => ({
    type: "library",
    "bom-ref": purl(each),
    name: each.name,
    version: each.version,
    purl: purl(each),
    hashes: [{ alg: "SHA-512", content: hexOf(each.integrity) }],
    licenses: licensesOf([each.license]),
  }));
  const linked = runtimeComponents
    .filter(({ name }) => name !== "bun")
    .map(({ name, licenses, source }) => ({
      type: "library",
      "bom-ref": `${runtime}#${name.replaceAll(/[^\w.+-]+/g, "-").replace(/-$/, "")}`,
      name,
      description: `Part of Bun ${bunVersion}.`,
      licenses: licensesOf(licenses),
      // Its version is not known. Parts of Bun's own repository have no address of their own.
      ...(githubPurl(source) === undefined || source === bunSource ? {} : { purl: githubPurl(source) }),
      externalReferences: [{ type: "vcs", url: source }],
    }));
  const bun = {
    type: "platform",
    "bom-ref": runtime,
    name: "bun",
    version: bunVersion,
    purl: runtime,
    licenses: licensesOf(["MIT"]),
    externalReferences: [{ type: "vcs", url: bunSource }],
  };
  const content = {
    metadata: {
      timestamp: new Date(timeS * 1000).toISOString(),
      component: {
        type: "application",
        "bom-ref": application,
        name: "phishwatch",
        version: projectPackage.version,
        description: projectPackage.description,
        licenses: licensesOf(["MIT"]),
        purl: application,
        properties: [
          { name: "phishwatch:commit", value: commit },
          { name: "phishwatch:target", value: target },
        ],
      },
    },
    components: [bun, ...npm, ...linked],
    dependencies: [
      { ref: application, dependsOn: [runtime, ...npm.map((each) => each["bom-ref"])] },
      { ref: runtime, dependsOn: linked.map((each) => each["bom-ref"]) },
    ],
  };
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    version: 1,
    ...content,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Returns the package URL, in which the `@` of a scope is encoded. */
function purl({ name, version }: BundledPackage): string {
  return `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
}

/** Returns the package URL of a repository on GitHub, in lowercase as its type demands, or undefined. */
function githubPurl(source: string): string | undefined {
  const repository = /^https:\/\/github\.com\/([^/]+\/[^/]+)$/.exec(source)?.[1];
  return repository === undefined ? undefined : `pkg:github/${repository.toLowerCase()}`;
}

/** CycloneDX permits either identifiers, or one expression such as `(MIT OR Apache-2.0)`. */
function licensesOf(licenses: readonly string[]): object[] {
  const [first = ""] = licenses;
  if (licenses.length === 1 && /\s/.test(first)) return [{ expression: first }];
  return licenses.map((id) => ({ license: { id } }));
}

/** Returns the bytes of `sha512-BASE64` in hexadecimal. */
function hexOf(integrity: string): string {
  return Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
}

/** Returns a UUID of version 8 (RFC 9562) from the SHA-256 of a text. */
function uuidOf(text: string): string {
  const bytes = new Bun.CryptoHasher("sha256").update(text).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
