/** Links to pages of the console. */
export type ConsoleLinks = ReturnType<typeof consoleLinks>;

/** @param publicUrl address under which people open the console, without a trailing slash */
export function consoleLinks(publicUrl: string) {
  const link = (text: string, path: string) => ({ text, url: `${publicUrl}/console/${path}` });
  return {
    threat: (id: string) => link("Open the threat", `threats/${id}`),
    /** The threats of one import or scan, of any status; without one, the open threats. */
    threats(from?: { importSeq: number } | { scanSeq: number }) {
      if (from === undefined) return link("Open the threats", "threats");
      const [name, seq] = "importSeq" in from ? ["import", from.importSeq] : ["scan", from.scanSeq];
      return link("Open these threats", `threats?status=all&${name}=${seq}`);
    },
    scan: (id: string) => link("Open the scan", `scans/${id}`),
    trap: (kind: "beacon" | "honeytoken", id: string) => link(`Open the ${kind}`, `${kind}s/${id}`),
    sources: () => link("Open the sources", "sources"),
    scans: () => link("Open the scans", "scans"),
    takedowns: () => link("Open the takedowns", "takedowns"),
    /** A report to those who can take a site down. */
    report: (seq: number) => link("Open the report", `takedowns/${seq}`),
    endpoint: (id: string) => link("Open the endpoint", `settings/webhooks/${id}`),
    channel: (id: string) => link("Open the channel", `settings/notifications/channels/${id}`),
    system: () => link("Open the system page", "settings/system"),
  };
}
