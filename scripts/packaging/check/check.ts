import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { root } from "../source.ts";
import { targets } from "../targets.ts";
import { openArchive } from "./archives.ts";
import { checkDebianPackage, systemName } from "./debian.ts";
import { NotRunnable, run } from "./environment.ts";
import { checkImage } from "./image.ts";
import { checkReproducibility } from "./reproducibility.ts";
import { checkSboms } from "./sbom.ts";
import { smokeTest } from "./smoke.ts";

const usage = `usage: scripts/release check [--release FOLDER] [--only NAME]...

Checks what scripts/release built: checksums; the lists of components; every archive, the Debian package and the image by running them, as far as
this machine can; and that a second build has the same bytes.
NAME: ${names().join(", ")}`;

/** Returns what was checked. @throws NotRunnable if this machine cannot check it, another error if the check fails */
type Check = (release: string, options: { port: number }) => Promise<string> | string;

const checks: Record<string, Check> = {
  checksums(release) {
    run(["sh", "-c", `cd "$0" && sha256sum --check --quiet SHA256SUMS`, release]);
    return "all checksums of the release";
  },
  sbom: checkSboms,
  ...Object.fromEntries(
    targets.map(
      ({ name }) => [name, (release, options) => checkArchive(release, name, options)] as [string, Check],
    ),
  ),
  debian: checkDebianPackage,
  image: checkImage,
  reproducibility: checkReproducibility,
};

async function checkArchive(release: string, target: string, options: { port: number }): Promise<string> {
  const environment = await openArchive(release, target);
  try {
    await smokeTest(environment, options);
    return environment.title;
  } finally {
    environment.dispose();
  }
}

function names(): string[] {
  return ["checksums", "sbom", ...targets.map(({ name }) => name), "debian", "image", "reproducibility"];
}

const { values } = parseArgs({
  options: {
    release: { type: "string", default: join(root, "dist/release") },
    only: { type: "string", multiple: true, default: names() },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) console.log(usage);
else process.exitCode = await main(resolve(values.release), values.only);

async function main(release: string, selected: readonly string[]): Promise<number> {
  const unknown = selected.filter((name) => !names().includes(name));
  if (unknown.length > 0 || !existsSync(join(release, "SHA256SUMS"))) {
    const problem =
      unknown.length > 0
        ? `there is no check ${unknown.join(", ")}`
        : `${release} has no release: run scripts/release`;
    console.error(`${problem}\n\n${usage}`);
    return 2;
  }
  console.log(`on ${systemName()}, ${process.arch}`);
  let failed = false;
  for (const name of selected) {
    try {
      console.log(`ok       ${await checks[name]!(release, { port: freePort() })}`);
    } catch (error) {
      if (error instanceof NotRunnable) console.log(`not run  ${name}: ${error.message}`);
      else {
        failed = true;
        console.log(`error    ${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return failed ? 1 : 0;
}

/** Returns a port of loopback on which nobody listens. */
function freePort(): number {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = server;
  server.stop(true);
  return port;
}
