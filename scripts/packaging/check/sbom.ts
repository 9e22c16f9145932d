import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { unzipSync } from "fflate";
import { root } from "../source.ts";
import { NotRunnable, run } from "./environment.ts";

const schemas = join(root, "node_modules/@cyclonedx/cyclonedx-library/res/schema");

/** Returns what violates the official schema of CycloneDX 1.5, one line for each error. */
export function sbomErrors(text: string): string[] {
  const read = (name: string) =>
    JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), "utf8")) as object;
  // Two formats of the schema are unknown to ajv-formats, and not checked: iri-reference and idn-email.
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  addFormats.default(ajv);
  for (const name of ["spdx", "jsf-0.82"])
    ajv.addSchema(read(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  const validate = ajv.compile(read("bom-1.5"));
  validate(JSON.parse(text));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/** Validates the list of components in every archive. Returns what was checked. @throws with every error */
export function checkSboms(release: string): string {
  const archives = readdirSync(release).filter((name) => /\.(tar\.gz|zip)$/.test(name));
  if (archives.length === 0) throw new NotRunnable("the release has no archive");
  const errors = archives.flatMap((name) =>
    sbomErrors(readSbom(join(release, name))).map((error) => `${name}: ${error}`),
  );
  if (errors.length > 0) throw new Error(`not valid CycloneDX 1.5:\n${errors.join("\n")}`);
  return `the components of ${archives.length} archives, with the schema of CycloneDX 1.5`;
}

function readSbom(archive: string): string {
  if (archive.endsWith(".tar.gz")) return run(["tar", "-xzOf", archive, "--wildcards", "*/sbom.cdx.json"]);
  const files = unzipSync(readFileSync(archive), { filter: ({ name }) => name.endsWith("/sbom.cdx.json") });
  return new TextDecoder().decode(Object.values(files)[0]);
}
