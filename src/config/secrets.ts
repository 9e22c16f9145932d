import { resolve } from "node:path";
import { visible } from "../lib/safe-text.ts";
import type { TableNode, TomlNode } from "./toml/nodes.ts";
import type { ReadContext, SecretRule } from "./fields.ts";
import { pathKey, plural } from "./fault.ts";
import { describeKind } from "./found.ts";

/** What is wrong with a secret. Says its kind, length or source; never the secret. */
export interface SecretRefusal {
  found: string;
  allowed: string;
}

const forms = `a string, { env = "NAME" } or { file = "path" }`;

/** A secret written as a string, or taken from the environment or from a file. Null: the string is `""`. */
export function readSecret(
  node: TomlNode,
  rule: SecretRule,
  context: ReadContext,
): { value: string | null } | SecretRefusal {
  if (node.kind === "string")
    return node.value === "" ? { value: null } : judge(node.value, "a string", rule);
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
  // Somebody may have put the secret itself where its variable's name belongs: then it must not be shown.
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
  return judge(value, source, rule);
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
  return judge(value, source, rule);
}

function judge(value: string, source: string, rule: SecretRule): { value: string } | SecretRefusal {
  if (value.length < rule.lengthMin || value.length > rule.lengthMax) {
    return { found: `${source} of ${plural(value.length, "character")}`, allowed: lengthOf(rule) };
  }
  const fitting = rule.ascii ? /^[\x21-\x7e]+$/.test(value) : visible(value, value.length) === value;
  if (!fitting) return { found: `${source} with a blank or other unfit character`, allowed: lengthOf(rule) };
  return { value };
}

/** In words: how long a secret may be, and of what. */
function lengthOf(rule: SecretRule): string {
  return `${rule.lengthMin} to ${rule.lengthMax} ${rule.ascii ? "visible ASCII" : "visible"} characters`;
}

/** What a missing secret's message asks for. */
export function secretForms(rule: SecretRule): string {
  return `${lengthOf(rule)} as ${forms}${rule.hint === undefined ? "" : `; ${rule.hint}`}`;
}
