import { readFileSync } from "node:fs";
import { join } from "node:path";
import { file, gzip, sha256, tar, withFolders, type Entry } from "../archives.ts";
import { projectPackage } from "../source.ts";
import type { DebianArchitecture } from "../targets.ts";
import { baseFiles, containerUserId } from "./base.ts";

export interface ImageContents {
  architecture: DebianArchitecture;
  executable: Uint8Array;
  licenses: string;
  sbom: string;
  /** Files of the release archives. */
  shared: readonly Entry[];
}

const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
} as const;

const group = { id: containerUserId, name: "phishwatch" };

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

/**
 * Returns a container image for several processors as a tar archive in the layout of the Open Container Initiative
 * (image-layout.md of the OCI image specification 1.1), which needs no container engine. Each image has a layer with
 * the C library and one with phishwatch, so that an upgrade fetches the second only.
 */
export async function buildImage(
  images: readonly ImageContents[],
  {
    commit,
    timeS,
    base = baseFiles,
  }: { commit: string; timeS: number; base?: (architecture: DebianArchitecture) => Promise<Entry[]> },
): Promise<Uint8Array<ArrayBuffer>> {
  const blobs = new Map<string, Uint8Array>();
  const add = (mediaType: string, bytes: Uint8Array): Descriptor => {
    const digest = sha256(bytes);
    blobs.set(digest, bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  };
  const addJson = (mediaType: string, value: object) =>
    add(mediaType, new TextEncoder().encode(JSON.stringify(value)));

  const manifests = [];
  for (const contents of images) {
    const layers = [await base(contents.architecture), ownFiles(contents)].map((entries) =>
      tar(withFolders(entries), timeS),
    );
    const config = addJson(mediaTypes.config, imageConfig(contents.architecture, layers, { commit, timeS }));
    const manifest = {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config,
      layers: layers.map((layer) => add(mediaTypes.layer, gzip(layer))),
    };
    const platform = { architecture: contents.architecture, os: "linux" };
    manifests.push({ ...addJson(mediaTypes.manifest, manifest), platform });
  }
  const all = addJson(mediaTypes.index, { schemaVersion: 2, mediaType: mediaTypes.index, manifests });
  const name = `localhost/phishwatch:${projectPackage.version}`;
  const annotations = {
    "org.opencontainers.image.ref.name": name,
    "io.containerd.image.name": name,
  };
  const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [{ ...all, annotations }] };
  const files = [
    file("oci-layout", JSON.stringify({ imageLayoutVersion: "1.0.0" })),
    file("index.json", JSON.stringify(index)),
    ...[...blobs].map(([digest, bytes]) => file(`blobs/sha256/${digest}`, bytes)),
  ];
  return tar(withFolders(files), timeS);
}

/** Returns the files of phishwatch in the image. */
function ownFiles({ executable, licenses, sbom, shared }: ImageContents): Entry[] {
  const configuration = readFileSync(join(import.meta.dir, "phishwatch.toml"), "utf8");
  const documentation = "usr/share/doc/phishwatch";
  return [
    file("usr/bin/phishwatch", executable, 0o755),
    file("etc/phishwatch/phishwatch.toml", configuration),
    file(`${documentation}/licenses.txt`, licenses),
    file(`${documentation}/sbom.cdx.json`, sbom),
    ...shared
      .filter(({ path }) => /^(clients\/|openapi\.json$|sandbox\.Dockerfile$)/.test(path))
      .map((entry) => ({ ...entry, path: `${documentation}/${entry.path}` })),
    { kind: "folder", path: "var/lib/phishwatch", mode: 0o700, user: containerUserId, group },
  ];
}

function imageConfig(
  architecture: DebianArchitecture,
  layers: readonly Uint8Array[],
  { commit, timeS }: { commit: string; timeS: number },
): object {
  const created = new Date(timeS * 1000).toISOString();
  return {
    created,
    architecture,
    os: "linux",
    config: {
      User: `${containerUserId}:${containerUserId}`,
      ExposedPorts: { "8080/tcp": {} },
      Env: ["PATH=/usr/bin", "PHISHWATCH_CONFIG=/etc/phishwatch/phishwatch.toml"],
      Entrypoint: ["phishwatch"],
      // Within the container, only other containers and the published port reach this address.
      Cmd: ["serve", "--listen", "0.0.0.0:8080"],
      Volumes: { "/var/lib/phishwatch": {} },
      WorkingDir: "/var/lib/phishwatch",
      StopSignal: "SIGTERM",
      Labels: {
        "org.opencontainers.image.title": "phishwatch",
        "org.opencontainers.image.description": projectPackage.description,
        "org.opencontainers.image.version": projectPackage.version,
        "org.opencontainers.image.revision": commit,
        "org.opencontainers.image.created": created,
        "org.opencontainers.image.licenses": "MIT",
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map((layer) => `sha256:${sha256(layer)}`) },
    history: [
      { created, created_by: "the C library of Debian" },
      { created, created_by: "phishwatch" },
    ],
  };
}

/** Returns a Compose file that runs the image. */
export function composeFile(): string {
  const template = readFileSync(join(import.meta.dir, "compose.yaml"), "utf8");
  return template.replace("VERSION", projectPackage.version);
}
