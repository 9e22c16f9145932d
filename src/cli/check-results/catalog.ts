/** Groups of checks, in the order of the output. */
export const checkGroups = [
  "Setup",
  "Access",
  "Machine",
  "Storage",
  "Detection",
  "Sources of names",
  "Lookups",
  "Delivery",
  "Embedded lists",
  "Upgrade",
] as const;

interface CheckDefinition {
  group: (typeof checkGroups)[number];
  /** Describes the state without a problem. Markdown. */
  meaning: string;
  /** Advice for a warning or an error. Markdown. */
  remedy: string;
}

/**
 * Every check by its identifier, which programs can rely on. The table in the manual is generated from it
 * (`scripts/render-checks.ts`).
 */
export const checkCatalog = {
  configuration: {
    group: "Setup",
    meaning: "the configuration file is valid",
    remedy: "correct the line that the message names; exit code 2",
  },
  "second-configuration": {
    group: "Setup",
    meaning: "no other configuration file is hidden by the one in use",
    remedy: "delete one of the files, or name the right one with `--config`",
  },
  environment: {
    group: "Setup",
    meaning: "every environment variable that begins with `PHISHWATCH_` is used",
    remedy: "correct the name, or refer to the variable in the configuration file",
  },
  server: {
    group: "Setup",
    meaning: "the running server has the version of this program, and the configuration of the file",
    remedy: "reload or restart the server",
  },
  user: {
    group: "Access",
    meaning: "the server does not run as root",
    remedy: "run it as a user of its own",
  },
  "data-folder": {
    group: "Access",
    meaning: "the folder of the database and its files belong to the user of the server",
    remedy: "change the owner with `chown`",
  },
  secrets: {
    group: "Access",
    meaning:
      "other users of the machine cannot read the configuration, secrets, private keys or database, nor change the configuration and backups",
    remedy: "change the permissions with `chmod`",
  },
  listen: {
    group: "Access",
    meaning: "passwords and API keys cross no network without TLS",
    remedy: "listen on 127.0.0.1 behind a proxy, or set `server.tls_cert` and `server.tls_key`",
  },
  port: {
    group: "Access",
    meaning: "the server can listen on its address",
    remedy: "choose a free port, or end the program that uses it",
  },
  "trusted-proxies": {
    group: "Access",
    meaning: "the proxy in front of the server is trusted, so that each visitor counts as one",
    remedy: "set `server.trusted_proxies` to the network of the proxy",
  },
  "trusted-user-header": {
    group: "Access",
    meaning: "only the proxy that authenticates users can say who the user is",
    remedy: "list only the addresses of that proxy in `server.trusted_proxies`",
  },
  "public-url": {
    group: "Access",
    meaning: "links in messages and addresses of block lists can be opened by others",
    remedy: "set `server.public_url`",
  },
  "metrics-token": {
    group: "Access",
    meaning: "metrics that other machines can reach require a token",
    remedy: "set `server.metrics_token`",
  },
  "mail-encryption": {
    group: "Access",
    meaning: "emails and the password of the mail server are encrypted on the network",
    remedy: "set `smtp.tls`",
  },
  "server-certificate": {
    group: "Access",
    meaning:
      "the certificate of the server can be used, is for its host name, and is valid for two more weeks",
    remedy: "renew the certificate",
  },
  "open-files": {
    group: "Machine",
    meaning: "enough files and connections may be open for what is configured",
    remedy: "raise the limit (`LimitNOFILE` of systemd, `ulimit -Hn`)",
  },
  memory: {
    group: "Machine",
    meaning: "the machine or container has enough memory for what is configured",
    remedy: "raise the limit of the container, or turn off screenshots",
  },
  clock: {
    group: "Machine",
    meaning: "the clock is not behind what is known to have happened",
    remedy: "set the clock, and synchronize it (NTP)",
  },
  disk: {
    group: "Storage",
    meaning: "the disk of the database has room",
    remedy: "make room on the disk",
  },
  "write-lock": {
    group: "Storage",
    meaning: "no process holds the write lock of the database for more than a second (Linux)",
    remedy: "resume or end the process that the message names",
  },
  inodes: {
    group: "Storage",
    meaning: "the file system of the database can create more files",
    remedy: "delete small files on the disk",
  },
  "file-system": {
    group: "Storage",
    meaning: "the database is on a local disk that keeps its content",
    remedy: "move the database to a local disk",
  },
  growth: {
    group: "Storage",
    meaning: "the disk has room for what `[retention]` and `archive.max_size` allow to collect",
    remedy: "shorten the retention, lower `archive.max_size`, or add room",
  },
  retention: {
    group: "Storage",
    meaning: "when the settings in `[retention]` that delete threats, screenshots and the audit log do so",
    remedy: "preview with `phishwatch retention` what they delete",
  },
  database: {
    group: "Storage",
    meaning:
      "the database can be opened, and all of its pages and indexes are intact, which takes 20 seconds for a million threats",
    remedy: "repair it with `phishwatch database repair`, or restore a backup",
  },
  "database-server": {
    group: "Storage",
    meaning: "what the running server reported about the database: problems, last error, last check",
    remedy: "follow the message; restart the server if its file was replaced",
  },
  archive: {
    group: "Storage",
    meaning: "the archive of names can be read",
    remedy: "see the page `archive`",
  },
  backups: {
    group: "Storage",
    meaning:
      "backups are scheduled, the newest one is recent, its secret is right, and it is on another disk",
    remedy: "set `backup.schedule` and `backup.folder` or `backup.s3`; see the page `backup`",
  },
  "protected-domains": {
    group: "Detection",
    meaning: "domains are protected, and whether one of them is a public suffix",
    remedy: "add domains with `phishwatch domains add`",
  },
  "brand-words": {
    group: "Detection",
    meaning: "the brand words of each domain are long and rare enough to be searched for everywhere",
    remedy: "add longer keywords to the domain",
  },
  "allowed-domains": {
    group: "Detection",
    meaning: "no allowed domain hides names that others can register",
    remedy: "allow the exact domains that belong to you",
  },
  similarity: {
    group: "Detection",
    meaning: "the minimum similarity reports more than exact copies",
    remedy: "lower `detection.min_similarity`",
  },
  "archive-checks": {
    group: "Detection",
    meaning: "names that were seen before a domain was protected have been checked for it",
    remedy: "leave the server running, and read its log",
  },
  "api-keys": {
    group: "Detection",
    meaning: "API keys are bound to protected domains only",
    remedy: "protect the domain, or revoke the key",
  },
  filters: {
    group: "Detection",
    meaning: "filters of endpoints, subscriptions and block lists select protected domains",
    remedy: "protect the domain, or correct the filter",
  },
  names: {
    group: "Sources of names",
    meaning: "there is at least one source of names",
    remedy: "set `scan.schedule`, or add feeds or certificate logs",
  },
  sources: {
    group: "Sources of names",
    meaning: "each feed and certificate log can be read, is not paused, and delivers names",
    remedy: "see the page `sources`",
  },
  resolvers: {
    group: "Lookups",
    meaning: "each resolver responds, and neither filters nor invents names",
    remedy: "set `scan.resolvers` to resolvers that do not filter or redirect",
  },
  screenshots: {
    group: "Lookups",
    meaning: "Chromium is available, and runs with its sandbox",
    remedy: "install Chromium, and run phishwatch as a user other than root",
  },
  originals: {
    group: "Lookups",
    meaning: "each protected domain has original pages, and they are still captured",
    remedy: "open the original pages of the domain in the console; see the page `protect-domains`",
  },
  inspection: {
    group: "Lookups",
    meaning:
      "the thread that reads pages starts, and the pages of feeds with `inspect` are fetched, within the budget",
    remedy:
      "set `lookups.enabled`, raise `inspection.per_day` and `inspection.per_minute`, or inspect fewer feeds",
  },
  traps: {
    group: "Lookups",
    meaning: "browsers load beacons, because their address begins with https",
    remedy: "set `traps.public_url`",
  },
  endpoints: {
    group: "Delivery",
    meaning: "each webhook endpoint may be connected to, its certificates are valid, and deliveries succeed",
    remedy: "correct the endpoint, or `allow_private_networks`; see the page `webhooks`",
  },
  "mail-server": {
    group: "Delivery",
    meaning: "the mail server accepts the connection and the password",
    remedy: "correct `[smtp]`",
  },
  channels: {
    group: "Delivery",
    meaning: "each channel is enabled, has a subscription, and its messages are accepted",
    remedy: "see the page `channels`",
  },
  takedowns: {
    group: "Delivery",
    meaning: "takedown reports are sent within an hour and delivered, and no follow-up is due",
    remedy: "correct `[smtp]`, use another recipient, or follow up; see the page `takedown`",
  },
  lists: {
    group: "Embedded lists",
    meaning: "the lists that the program contains are recent, and a data update can be used",
    remedy: "import an update with `phishwatch data update FILE`, or upgrade; see the page `air-gap`",
  },
  "upgrade-version": {
    group: "Upgrade",
    meaning: "the database is of this version or of an earlier one (only with `--upgrade`)",
    remedy: "run the version that it is of, or restore a copy",
  },
  "upgrade-migration": {
    group: "Upgrade",
    meaning: "the migrations succeed: they were carried out on a copy in memory (only with `--upgrade`)",
    remedy: "keep the earlier version, and report the error",
  },
  "upgrade-room": {
    group: "Upgrade",
    meaning: "the disk has room for a copy of the database and for the migrations (only with `--upgrade`)",
    remedy: "make room, or move the database to a larger disk",
  },
  "upgrade-server": {
    group: "Upgrade",
    meaning: "no server of the earlier version has to be restarted (only with `--upgrade`)",
    remedy: "restart the server with this version",
  },
  "upgrade-changes": {
    group: "Upgrade",
    meaning: "what changes for users between the versions (only with `--upgrade`)",
    remedy: "read what changed: `phishwatch help whats-new`",
  },
} as const satisfies Record<string, CheckDefinition>;

/** Stable identifier of a check. */
export type CheckId = keyof typeof checkCatalog;
