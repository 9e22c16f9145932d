import { resolve } from "node:path";
import { visible } from "../lib/safe-text.ts";
import { pathKey, plural } from "./fields/config-error.ts";
import { describeKind } from "./describe-node.ts";
import type { ReadContext, SecretRule } from "./fields/fields.ts";
import type { TableNode, TomlNode } from "./toml/nodes.ts";

/** Reason why a secret is invalid. Names its kind, length or source, never the secret. */
export interface SecretRejection {
  found: string;
  allowed: string;
}

const forms = `a string, { env = "NAME" } or { file = "path" }`;

/** Reads a secret from a string, the environment or a file. Returns null for `""`. */
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
  if (entry === undefined || others.length > 0 || (kind !== "env" && kind !== "file")) {
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
  return kind === "env"
    ? fromEnvironment(reference.value, rule, context)
    : fromFile(reference.value, rule, context);
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
  let content: string;
  try {
    const read = readFile(resolve(folder, path));
    content = typeof read === "string" ? read : new TextDecoder().decode(read);
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    const reason = code === "ENOENT" ? "does not exist" : "cannot be read";
    return { found: `${source}, which ${reason}`, allowed: "a file that phishwatch may read" };
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
