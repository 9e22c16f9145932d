import type { Status } from "../../src/platform/vocabulary/threats.ts";
import { createNoticeChannels } from "../../src/messaging/channels/http/notice-channel.ts";
import type { ChannelTarget, NoticeChannelType } from "../../src/messaging/channels/http/notice-type.ts";
import type { Screenshot } from "../../src/messaging/channels/http/screenshots.ts";
import type { Channel } from "../../src/messaging/deliveries/channel.ts";
import type { Clock } from "../../src/platform/lib/clock.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import type { ResolveHost } from "../../src/platform/network/resolve.ts";
import { createTurns } from "../../src/platform/network/turns.ts";
import type { Notice } from "../../src/messaging/content/notice.ts";

const consoleUrl = "https://watch.example/console";
const base: Omit<Notice, "kind" | "title" | "tone"> = {
  id: "evt_01k9d8h6gqf3krzpr6jz3t0v5e",
  at: "2026-01-31T12:00:00.000Z",
  summary: "",
  facts: [],
  items: [],
  more: 0,
  links: [],
  threat: null,
  condition: null,
};

/** One message of each kind, with typical contents. */
export const sampleNotices: Record<Notice["kind"], Notice> = {
  threat: {
    ...base,
    kind: "threat",
    tone: "high",
    title: "High: examp1e-bank[.]com imitates example-bank.com",
    summary: "The page asks for a password. The name was registered yesterday.",
    facts: [
      { label: "Registered", value: "2026-01-30 at Example Registrar" },
      { label: "Page", value: "Sign in - Example Bank" },
      { label: "Mail server", value: "mx[.]examp1e-bank[.]com" },
    ],
    links: [{ text: "Open the threat", url: `${consoleUrl}/threats/thr_01k9d8h6gqf3krzpr6jz3t0v5f` }],
    threat: { id: "thr_01k9d8h6gqf3krzpr6jz3t0v5f", status: "active" },
  },
  threats: {
    ...base,
    kind: "threats",
    tone: "high",
    title: "594 new threats: 12 high, 582 low",
    summary: "They were found by one import.",
    items: [
      {
        name: "examp1e-bank[.]com",
        protectedDomain: "example-bank.com",
        severity: "high",
        reason: "the page asks for a password",
        url: `${consoleUrl}/threats/thr_01k9d8h6gqf3krzpr6jz3t0v5f`,
      },
      {
        name: "example-bnak[.]com",
        protectedDomain: "example-bank.com",
        severity: "low",
        reason: "",
        url: null,
      },
    ],
    more: 592,
    links: [{ text: "Open the threats", url: `${consoleUrl}/threats?status=active` }],
  },
  digest: {
    ...base,
    kind: "digest",
    tone: "medium",
    title: "Daily digest: 3 new threats, 1 resolved",
    facts: [
      { label: "New", value: "3" },
      { label: "Resolved", value: "1" },
    ],
    items: [
      {
        name: "example-bank-login[.]com",
        protectedDomain: "example-bank.com",
        severity: "medium",
        reason: "registered 2 days ago",
        url: `${consoleUrl}/threats/thr_01k9d8h6gqf3krzpr6jz3t0v5g`,
      },
    ],
    more: 2,
    links: [{ text: "Open the threats", url: `${consoleUrl}/threats` }],
  },
  visit: {
    ...base,
    kind: "visit",
    tone: "high",
    title: "Your page was opened on examp1e-bank[.]com",
    summary: "The beacon of example-bank.com reported a copy of the page.",
    facts: [{ label: "User agent", value: "Mozilla/5.0" }],
    links: [{ text: "Open the beacon", url: `${consoleUrl}/traps/bcn_01k9d8h6gqf3krzpr6jz3t0v5h` }],
  },
  scan: {
    ...base,
    kind: "scan",
    tone: "neutral",
    title: "Scan completed: 4 new threats",
    facts: [{ label: "Names", value: "12,345" }],
    links: [{ text: "Open the scan", url: `${consoleUrl}/scans/scn_01k9d8h6gqf3krzpr6jz3t0v5j` }],
  },
  system: {
    ...base,
    kind: "system",
    tone: "medium",
    title: "Source stopped: nrd",
    summary: "The feed nrd has not been read for 26 hours: HTTP status 404.",
    links: [{ text: "Open the sources", url: `${consoleUrl}/sources` }],
    condition: { key: "source_stopped:nrd", phase: "began" },
  },
  test: {
    ...base,
    kind: "test",
    tone: "neutral",
    title: "Test message from phishwatch",
    summary: "The channel works.",
  },
};

const hostile = [
  `<!channel> <@U012AB3CD> @everyone @here <@&123> <at>all</at> <users/all>`,
  `*bold* _italic_ ~strike~ \`code\` \`\`\`block [text](https://evil.example) ![image](https://evil.example/i.png) ||spoiler||`,
  `"quoted" \\ back\\slash \n# heading\r\n> quote\u0000\u001b[31m`,
  `\u202egnp.exe\u2066 \u200b\ufeff <script>alert(1)</script> &amp; <https://evil.example|click>`,
  `https://evil.example/a?b=c&d=%00 www.evil.example mailto:a@evil.example`,
].join(" ");
/** A flag of four code units, which must not be split. */
const flags = "\u{1f1e9}\u{1f1ea}".repeat(3_000);

/** A message whose every text an attacker wrote: markup, mentions, links, hidden characters, and far too long. */
export const hostileNotice: Notice = {
  ...sampleNotices.threats,
  title: hostile,
  summary: hostile + flags,
  facts: Array.from({ length: 40 }, (_, index) => ({
    label: `${index} ${hostile}`.slice(0, 300),
    value: hostile + flags,
  })),
  items: Array.from({ length: 40 }, () => ({
    name: hostile,
    protectedDomain: "example-bank.com",
    severity: "high" as const,
    reason: hostile + flags,
    url: `${consoleUrl}/threats/thr_01k9d8h6gqf3krzpr6jz3t0v5f`,
  })),
  links: Array.from({ length: 30 }, () => ({ text: hostile, url: `${consoleUrl}/threats?q=%22%3C` })),
};

/** A message of an appliance that has no public name. */
export const privateNotice: Notice = {
  ...sampleNotices.threats,
  items: [{ ...sampleNotices.threats.items[0]!, url: "http://phishwatch:8080/console/threats/thr_1" }],
  links: [{ text: "Open the threats", url: "http://phishwatch:8080/console/threats" }],
};

/** A target that uses nothing. */
export const emptyTarget: ChannelTarget = {
  url: null,
  token: null,
  chatId: null,
  routingKey: null,
  topic: null,
  room: null,
  to: [],
  template: null,
  headers: {},
};

/** Constructs a channel that may send to loopback without encryption. */
export function openNoticeChannel(
  type: NoticeChannelType,
  {
    allowHttp = true,
    allowPrivateNetworks = true,
    clock = systemClock,
    resolveHost = () => Promise.resolve(["127.0.0.1"]),
    screenshotOf = () => Promise.resolve(null),
    statusOf = () => null,
    timeoutMs = 10_000,
  }: {
    allowHttp?: boolean;
    allowPrivateNetworks?: boolean;
    clock?: Clock;
    resolveHost?: ResolveHost;
    screenshotOf?: (threatId: string) => Promise<Screenshot | null>;
    statusOf?: (threatId: string) => Status | null;
    timeoutMs?: number;
  } = {},
): Channel<ChannelTarget> {
  const settings = { allowHttp, allowPrivateNetworks, caFile: null, timeoutMs };
  const turns = createTurns();
  const sending = {
    clock,
    idleMax: 4,
    resolveHost,
    screenshotOf,
    settings,
    statusOf,
    turns,
    version: "1.2.3",
  };
  return createNoticeChannels([type], sending)[0]!.channel;
}

/** Returns a message as the channel receives it from the queue. */
export function messageOf(notice: Notice): { id: string; body: string } {
  return { id: notice.id, body: JSON.stringify(notice) };
}

/** Returns the only request that a type makes of a message, with its body parsed as JSON. */
export function jsonRequest(type: NoticeChannelType, target: ChannelTarget, notice: Notice) {
  const [request, ...others] = type.requests(target, notice, { screenshot: null });
  if (request === undefined || others.length > 0) throw new Error(`${others.length + 1} requests`);
  const { method, url, headers, body } = request;
  if (typeof body !== "string") throw new Error("not JSON");
  const payload: unknown = JSON.parse(body);
  return { method, url, headers, body, payload };
}

/** Returns all texts of a value, however deep. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Returns a response for `classifyResponse`. */
export function responseOf(status: number, body: unknown = "", headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers: new Map(Object.entries(headers)), body: text };
}

/** Characters of the hostile message that no channel sends. */
export const hiddenCharacters = /[\u202e\u2066\u200b\ufeff]|\p{Cc}(?<!\n)/u;
