import { join, resolve } from "node:path";
import { visible } from "../lib/safe-text.ts";
import { describeKind, pathKey, plural } from "./fields/config-error.ts";
import type { ReadContext, SecretRule } from "./fields/fields.ts";
import type { TableNode, TomlNode } from "./toml/document.ts";
import { codeOf } from "../lib/errors.ts";

/** Reason why a secret is invalid. Names its kind, length or source, never the secret. */
export interface SecretRejection {
  found: string;
  allowed: string;
}

const forms = `a string, { env = "NAME" }, { file = "path" } or { credential = "name" }`;
const readers = { env: fromEnvironment, file: fromFile, credential: fromCredential } as const;
/** Credentials of the running service, for commands that a person runs. */
const serviceCredentials = "/run/credentials/phishwatch.service";

/** Reads a secret from a string, the environment, a file or a credential of systemd. Returns null for `""`. */
export function readSecret(
  node: TomlNode,
  rule: SecretRule,
  context: ReadContext,
): { value: string | null } | SecretRejection {
  if (node.kind === "string")
    return node.value === "" ? { value: null } : validate(node.value, "a string", rule);
  if (node.kind !== "table") return { found: describeKind(node), allowed: forms };
  return readReference(node, rule, context);
}

function readReference(node: TableNode, rule: SecretRule, context: ReadContext) {
  const [[kind, entry] = [], ...others] = [...node.entries];
  if (entry === undefined || others.length > 0 || !isReader(kind)) {
    const keys = [...node.entries.keys()].slice(0, 3).map(pathKey);
    return {
      found: keys.length === 0 ? "an empty table" : `a table with ${keys.join(", ")}`,
      allowed: forms,
    };
  }
  const reference = entry.node;
  if (reference.kind !== "string" || reference.value === "") {
    return { found: describeKind(reference), allowed: `a string after ${kind} =` };
  }
  return readers[kind](reference.value, rule, context);
}

function isReader(kind: string | undefined): kind is keyof typeof readers {
  return kind !== undefined && Object.hasOwn(readers, kind);
}

function fromEnvironment(name: string, rule: SecretRule, { env }: ReadContext) {
  // The secret itself may have been written instead of the variable's name, so it is not shown.
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,49}$/.test(name) || /^(pw|whsec)_/.test(name)) {
    return {
      found: `a string of ${plural(name.length, "character")}`,
      allowed: "the name of an environment variable",
    };
  }
  const value = env[name];
  const source = `the environment variable ${name}`;
  if (value === undefined) return { found: `${source}, which is not set`, allowed: `${name} to be set` };
  if (value === "") return { found: `${source}, which is empty`, allowed: lengthOf(rule) };
  return validate(value, source, rule);
}

function fromFile(path: string, rule: SecretRule, { folder, readFile }: ReadContext) {
  const source = `the file ${visible(path, 60)}`;
  return readSource({
    path: resolve(folder, path),
    source,
    allowed: "a file that phishwatch may read",
    rule,
    readFile,
  });
}

/** See systemd.exec(5), LoadCredential. */
function fromCredential(name: string, rule: SecretRule, { env, readFile }: ReadContext) {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(name)) {
    return {
      found: `a string of ${plural(name.length, "character")}`,
      allowed: "the name of a credential: up to 100 letters, digits and _ . -",
    };
  }
  const folder = env["CREDENTIALS_DIRECTORY"] || serviceCredentials;
  const allowed = `LoadCredential=${name}:… in the unit of the service`;
  return readSource({ path: join(folder, name), source: `the credential ${name}`, allowed, rule, readFile });
}

function readSource({
  path,
  source,
  allowed,
  rule,
  readFile,
}: Pick<ReadContext, "readFile"> & { path: string; source: string; allowed: string; rule: SecretRule }) {
  let content: string;
  try {
    const read = readFile(path);
    content = typeof read === "string" ? read : new TextDecoder().decode(read);
  } catch (error) {
    const code = codeOf(error);
    const reason = code === "ENOENT" ? "does not exist" : "cannot be read";
    return { found: `${source}, which ${reason}`, allowed };
  }
  const value = content.replace(/\r?\n$/, "");
  if (value === "") return { found: `${source}, which is empty`, allowed: lengthOf(rule) };
  return validate(value, source, rule);
}

function validate(value: string, source: string, rule: SecretRule): { value: string } | SecretRejection {
  if (value.length < rule.lengthMin || value.length > rule.lengthMax) {
    return { found: `${source} of ${plural(value.length, "character")}`, allowed: lengthOf(rule) };
  }
  const fitting = rule.ascii ? /^[\x21-\x7e]+$/.test(value) : visible(value, value.length) === value;
  if (!fitting) return { found: `${source} with a blank or other unfit character`, allowed: lengthOf(rule) };
  return { value };
}

/** Describes the allowed length and characters of a secret. */
function lengthOf(rule: SecretRule): string {
  return `${rule.lengthMin} to ${rule.lengthMax} ${rule.ascii ? "visible ASCII" : "visible"} characters`;
}

/** Describes the allowed forms of a secret, for the message about a missing one. */
export function secretForms(rule: SecretRule): string {
  return `${lengthOf(rule)} as ${forms}${rule.hint === undefined ? "" : `; ${rule.hint}`}`;
}
