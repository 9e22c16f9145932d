import type { Config } from "../config.ts";

/** A setting that works but exposes something, with what to change. */
export interface Exposure {
  /** Key of the setting to change. */
  setting: string;
  advice: string;
}

/** Returns what the configuration exposes, from the configuration alone. */
export function findExposures({
  server,
  console: { enabled },
  smtp,
}: Pick<Config, "server" | "console" | "smtp">): Exposure[] {
  const { host, port, publicUrl, tls, trustedProxies } = server;
  const isBehindProxy = tls === null && publicUrl.startsWith("https:");
  const exposures: Exposure[] = [];
  if (isBehindProxy && trustedProxies.length === 0)
    exposures.push({
      setting: "server.trusted_proxies",
      advice: `server.public_url is https, so a proxy terminates TLS, but no proxy is trusted: all visitors count as one address in logs, limits, sign-ins and visits. Set it to the proxy's network, such as ["127.0.0.1"]`,
    });
  if (enabled && tls === null && !isLoopback(host) && !(isBehindProxy && trustedProxies.length > 0))
    exposures.push({
      setting: "server.listen",
      advice: `${host.includes(":") ? `[${host}]` : host}:${port} can be reached from other machines without TLS, so the console password and API keys cross the network in clear text. Listen on 127.0.0.1 behind a proxy, or set server.tls_cert and server.tls_key`,
    });
  if (smtp?.tls === "none" && !isLoopback(smtp.host))
    exposures.push({
      setting: "smtp.tls",
      advice: `emails${smtp.password === null ? "" : " and the password"} cross the network to ${smtp.host} in clear text. Set it to "starttls" or "tls"`,
    });
  return exposures;
}

/** Returns whether only programs on the same machine can open the address. */
export function isLocalUrl(url: string): boolean {
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ""));
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}
