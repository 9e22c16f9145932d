import type { Notice } from "../notice.ts";

type Link = Notice["links"][number];

/** Links to pages of the console. */
export interface ConsoleLinks {
  threat(id: string): Link;
  /** The threats of one import or scan, whatever their status; without one, the open threats. */
  threats(from?: { importSeq: number } | { scanSeq: number }): Link;
  scan(id: string): Link;
  trap(kind: "beacon" | "honeytoken", id: string): Link;
  sources(): Link;
  scans(): Link;
  takedowns(): Link;
  /** A report to those who can take a site down. */
  report(seq: number): Link;
  endpoint(id: string): Link;
  channel(id: string): Link;
  system(): Link;
}

/** @param publicUrl address under which people open the console, without a trailing slash */
export function consoleLinks(publicUrl: string): ConsoleLinks {
  const link = (text: string, path: string) => ({ text, url: `${publicUrl}/console/${path}` });
  return {
    threat: (id) => link("Open the threat", `threats/${id}`),
    threats(from) {
      if (from === undefined) return link("Open the threats", "threats");
      const [name, seq] = "importSeq" in from ? ["import", from.importSeq] : ["scan", from.scanSeq];
      return link("Open these threats", `threats?status=all&${name}=${seq}`);
    },
    scan: (id) => link("Open the scan", `scans/${id}`),
    trap: (kind, id) => link(`Open the ${kind}`, `${kind}s/${id}`),
    sources: () => link("Open the sources", "sources"),
    scans: () => link("Open the scans", "scans"),
    takedowns: () => link("Open the takedowns", "takedowns"),
    report: (seq) => link("Open the report", `takedowns/${seq}`),
    endpoint: (id) => link("Open the endpoint", `settings/webhooks/${id}`),
    channel: (id) => link("Open the channel", `settings/notifications/channels/${id}`),
    system: () => link("Open the system page", "settings/system"),
  };
}
