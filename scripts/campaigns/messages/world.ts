import { createSocket } from "node:dgram";
import { AUTHORITATIVE_ANSWER, decode, encode, RECURSION_AVAILABLE, type Answer } from "dns-packet";

/** Knowledge of the name server about a name, by the number in the name. */
export type NameKind = "none" | "address" | "mail";

const nameErrorCode = 3;
const ttlSeconds = 60;

export function kindOf(name: string): NameKind {
  const number = Number(/n(\d+)\.com$/.exec(name)?.[1] ?? 1);
  return (["none", "address", "mail"] as const)[number % 3]!;
}

/** Starts a name server on loopback: a third of the names does not exist, and a third receives mail. */
export async function startDns(): Promise<{ port: number; stop(): void }> {
  const socket = createSocket("udp4");
  socket.on("message", (bytes, { port, address }) => {
    const query = decode(bytes);
    const question = query.questions?.[0];
    if (question === undefined) return;
    const { name, type } = question;
    const isKnown = /^(www\.)?example-/i.test(name) || /^(com|net|org)$/i.test(name);
    const kind = isKnown ? kindOf(name.toLowerCase()) : "none";
    const answers: Answer[] = [];
    if (kind !== "none" && type === "A") answers.push({ type, name, ttl: ttlSeconds, data: "127.0.0.1" });
    if (kind !== "none" && type === "NS")
      answers.push({ type, name, ttl: ttlSeconds, data: "ns.example.net" });
    if (kind === "mail" && type === "MX")
      answers.push({ type, name, ttl: ttlSeconds, data: { preference: 10, exchange: `mail.${name}` } });
    const response = encode({
      type: "response",
      id: query.id ?? 0,
      flags: AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | (kind === "none" ? nameErrorCode : 0),
      questions: [question],
      answers,
    });
    socket.send(response, port, address);
  });
  await new Promise<void>((done) => socket.bind(0, "127.0.0.1", done));
  return { port: socket.address().port, stop: () => socket.close() };
}

/** Returns the configuration: webhook endpoints with filters, channels with subscriptions, and a list. */
export function configText({
  port,
  databasePath,
  apiKey,
  listToken,
  ports,
}: {
  port: number;
  databasePath: string;
  apiKey: string;
  listToken: string;
  ports: Record<"dns" | "verified" | "severe" | "chat" | "hostile" | "ntfy" | "pager" | "mail", number>;
}): string {
  const endpoint = (name: "verified" | "severe", filter: string) => `
[[webhooks.endpoints]]
name = "${name}"
url = "http://127.0.0.1:${ports[name]}/"
secret = "campaign-secret-of-sufficient-length"
events = ["threat.created"]
protected_domains = ["example-bank.com"]
${filter}`;
  const channel = (name: string, type: string, keys: string) =>
    `\n[[channels]]\nname = "${name}"\ntype = "${type}"\n${keys}`;
  const subscription = (name: string, filter: string) => `
[[subscriptions]]
name = "${name}"
channel = "${name}"
protected_domains = ["example-bank.com"]
${filter}`;
  const notice = (name: "chat" | "hostile") =>
    `url = "http://127.0.0.1:${ports[name]}/"\ntemplate = '{"id": "{{id}}", "notice": {{notice}}}'`;
  return `[server]
listen = "127.0.0.1:${port}"
[storage]
path = ${JSON.stringify(databasePath)}
# Its threads wait for absolute times, which a shifted clock makes hours.
[archive]
enabled = false
[scan]
schedule = ""
resolvers = ["127.0.0.1:${ports.dns}"]
queries_per_second = 20000
registration_data = false
screenshots = "off"
[webhooks]
allow_http = true
allow_private_networks = true
timeout = "1s"
retry_delays = [${Array.from({ length: 20 }, () => `"400ms"`).join(", ")}]
[smtp]
host = "127.0.0.1"
port = ${ports.mail}
tls = "none"
from = "phishwatch@example.com"
[[protected_domains]]
domain = "example-bank.com"
[[protected_domains]]
domain = "example-shop.com"
[[api_keys]]
name = "campaign"
key = "${apiKey}"
plan = "enterprise"
scopes = ["threats:read", "threats:write", "candidates:write"]
[[lists]]
name = "block"
token = "${listToken}"
min_severity = "low"
verified_only = false
${endpoint("verified", "verified_only = true")}
${endpoint("severe", `min_severity = "high"`)}
${channel("chat", "template", notice("chat"))}
${channel("hostile", "template", notice("hostile"))}
${channel("ntfy", "ntfy", `url = "http://127.0.0.1:${ports.ntfy}"\ntopic = "campaign"`)}
${channel("pager", "pagerduty", `url = "http://127.0.0.1:${ports.pager}"\nrouting_key = "${"k".repeat(32)}"`)}
${channel("mail", "email", `to = ["soc@example.com"]`)}
${subscription("chat", "")}
${subscription("hostile", "verified_only = true")}
${subscription("ntfy", `min_severity = "high"`)}
${subscription("pager", `min_severity = "high"`)}
${subscription("mail", "verified_only = true")}
`;
}
