import type { Config } from "./config.ts";
import { type FieldSchema, fieldSchema } from "./fields/fields.ts";
import { configSchema } from "./schema.ts";
import type { TableNode, TomlNode } from "./toml/document.ts";
import { readTree } from "./toml/quick-document.ts";

/** A setting that works but exposes something, with what to change. */
export interface Exposure {
  /** Key of the setting to change. */
  setting:
    | "console.trusted_user_header"
    | "server.trusted_proxies"
    | "server.listen"
    | "server.metrics_token"
    | "smtp.tls";
  problem: string;
  /** Advice: the value to set instead. */
  change: string;
}

/** Returns what the configuration exposes, from the configuration alone. */
export function findExposures({
  server,
  console: { enabled, trustedUser },
  smtp,
}: Pick<Config, "server" | "console" | "smtp">): Exposure[] {
  const { host, port, publicUrl, tls, trustedProxies } = server;
  const isBehindProxy = tls === null && publicUrl.startsWith("https:");
  const exposures: Exposure[] = [];
  if (isBehindProxy && trustedProxies.length === 0)
    exposures.push({
      setting: "server.trusted_proxies",
      problem:
        "server.public_url is https, so a proxy terminates TLS, but no proxy is trusted: all visitors count as one address in logs, limits, sign-ins and visits",
      change: `set it to the proxy's network, such as ["127.0.0.1"]`,
    });
  if (enabled && tls === null && !isLoopback(host) && !(isBehindProxy && trustedProxies.length > 0))
    exposures.push({
      setting: "server.listen",
      problem: `${host.includes(":") ? `[${host}]` : host}:${port} can be reached from other machines without TLS, so the console password and API keys cross the network in clear text`,
      change: `set it to "127.0.0.1:${port}" behind a proxy, or set server.tls_cert and server.tls_key`,
    });
  if (enabled && trustedUser !== null)
    exposures.push(...trustedUserExposures(trustedUser.header, trustedProxies));
  if (server.metricsToken === null && !isLoopback(host))
    exposures.push({
      setting: "server.metrics_token",
      problem:
        "other machines can read /metrics, which shows the protected domains' numbers and the state of sources and endpoints",
      change: 'set it to a secret of 16 characters or more, such as { env = "METRICS_TOKEN" }',
    });
  if (smtp?.tls === "none" && !isLoopback(smtp.host))
    exposures.push({
      setting: "smtp.tls",
      problem: `emails${smtp.password === null ? "" : " and the password"} cross the network to ${smtp.host} in clear text`,
      change: 'set it to "starttls" or "tls"',
    });
  return exposures;
}

/** A proxy has one address, or a few in one network. In larger networks, other machines could pass for it. */
const prefixLengthMin = { ipv4: 24, ipv6: 64 };

function* trustedUserExposures(header: string, trustedProxies: readonly string[]): Generator<Exposure> {
  const setting = "console.trusted_user_header";
  if (trustedProxies.length === 0)
    yield {
      setting,
      problem: `server.trusted_proxies is empty, so the header ${header} signs nobody in`,
      change: `add the network of the proxy that authenticates users to server.trusted_proxies, such as ["127.0.0.1"]`,
    };
  const wide = trustedProxies.filter((network) => {
    const [address = "", length] = network.split("/");
    return Number(length) < prefixLengthMin[address.includes(":") ? "ipv6" : "ipv4"];
  });
  if (wide.length > 0)
    yield {
      setting,
      problem: `every machine in ${wide.join(" and ")} can pass for any user of the proxy with the header ${header}, because server.trusted_proxies contains it`,
      change: "list only the addresses of the proxy in server.trusted_proxies",
    };
}

/** Returns whether only programs on the same machine can open the address. */
export function isLocalUrl(url: string): boolean {
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ""));
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

/** Places of the secrets that a configuration file sets. */
export interface SecretPlaces {
  /** Keys whose secret is in the configuration file, such as `console.password` and `api_keys.key`, without repeats. */
  inFile: string[];
  /** Paths of files with secrets, as they are written in the configuration file. */
  files: string[];
}

/** Returns where the secrets of the configuration file are. Secrets in the environment have no place here. */
export function findSecretPlaces({ path, text }: NonNullable<Config["source"]>): SecretPlaces {
  const root = readTree(text);
  if (root === undefined) throw new Error(`${path} was read once, so it is TOML`);
  const inFile = new Set<string>();
  const files = new Set<string>();

  function walk(field: FieldSchema, node: TableNode, prefix: string): void {
    for (const [key, property] of Object.entries(field.properties!)) {
      const found = node.entries.get(key)?.node;
      if (found === undefined) continue;
      const name = prefix === "" ? key : `${prefix}.${key}`;
      if (property.kind === "secret") note(found, name);
      if (property.kind === "table" && found.kind === "table") walk(property, found, name);
      if (property.kind !== "tables" || found.kind !== "array") continue;
      for (const item of found.items) if (item.kind === "table") walk(property.items!, item, name);
    }
  }

  function note(node: TomlNode, name: string): void {
    if (node.kind === "string") {
      if (node.value !== "") inFile.add(name);
    } else if (node.kind === "table") {
      const file = node.entries.get("file")?.node;
      if (file?.kind === "string") files.add(file.value);
    }
  }

  walk(fieldSchema(configSchema), root, "");
  return { inFile: [...inFile], files: [...files] };
}
