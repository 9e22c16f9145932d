import { findChromium } from "./chromium.ts";

/**
 * A program that some tests run. They are skipped without it, except in CI, where scripts/test installs what Debian
 * provides and fails if something is still missing.
 */
export type Program = {
  name: string;
  /** Names of the Debian packages that provide it; empty if the one in Debian 12 is too old. */
  packages: string[];
  /** The first words of the command that runs it; undefined if it is missing. */
  command: string[] | undefined;
};

/** Looks up every program that tests run. */
export function findPrograms(): Program[] {
  return [
    // The fonts keep text in screenshots readable.
    {
      name: "Chromium",
      packages: ["chromium", "fonts-dejavu-core"],
      command: asCommand(findChromium()),
    },
    { name: "git", packages: ["git"], command: asCommand(Bun.which("git")) },
    { name: "Go", packages: ["golang-go"], command: findGo() },
    { name: "Python", packages: ["python3"], command: asCommand(Bun.which("python3")) },
    { name: "pytest", packages: ["python3-pytest"], command: findPytest() },
    { name: "qpdf", packages: ["qpdf"], command: asCommand(Bun.which("qpdf")) },
    { name: "pdftotext", packages: ["poppler-utils"], command: asCommand(Bun.which("pdftotext")) },
    { name: "LibreOffice", packages: ["libreoffice-writer-nogui"], command: asCommand(Bun.which("soffice")) },
    { name: "Node.js 20 or later", packages: [], command: findNode() },
    { name: "nginx", packages: ["nginx"], command: findSystemProgram("nginx") },
    { name: "Caddy", packages: ["caddy"], command: findCaddy() },
    { name: "Unbound", packages: ["unbound"], command: findSystemProgram("unbound") },
    { name: "dnsmasq", packages: ["dnsmasq-base"], command: findSystemProgram("dnsmasq") },
    { name: "BIND", packages: ["bind9"], command: findSystemProgram("named") },
    { name: "openssl", packages: ["openssl"], command: asCommand(Bun.which("openssl")) },
    { name: "Prometheus", packages: ["prometheus"], command: findCommand("prometheus") },
    { name: "systemd-analyze", packages: ["systemd"], command: findCommand("systemd-analyze") },
    { name: "zsh", packages: ["zsh"], command: findCommand("zsh") },
    { name: "fish", packages: ["fish"], command: findCommand("fish") },
    { name: "mandoc", packages: ["mandoc"], command: findCommand("mandoc") },
    {
      name: "systemd-nspawn",
      packages: ["systemd-container"],
      command: asCommand(Bun.which("systemd-nspawn")),
    },
    { name: "ip", packages: ["iproute2"], command: asCommand(Bun.which("ip")) },
  ];
}

export function findGo(): string[] | undefined {
  return asCommand(Bun.which("go"));
}

/** Debian's servers are in a folder that may be in the PATH of root only. */
export function findSystemProgram(name: "nginx" | "unbound" | "dnsmasq" | "named"): string[] | undefined {
  return asCommand(Bun.which(name) ?? Bun.which(`/usr/sbin/${name}`));
}

export function findCommand(
  name: "bash" | "zsh" | "fish" | "mandoc" | "prometheus" | "promtool" | "systemd-analyze",
): string[] | undefined {
  return asCommand(Bun.which(name));
}

export function findCaddy(): string[] | undefined {
  return asCommand(Bun.which("caddy"));
}

/** Debian's own Python comes second: an earlier one in PATH (pyenv, a virtual environment) may lack pytest. */
export function findPytest(): string[] | undefined {
  return ["python3", "/usr/bin/python3"]
    .map((python) => [python, "-m", "pytest"])
    .find((command) => prints([...command, "--version"], /pytest/));
}

export function findNode(): string[] | undefined {
  return prints(["node", "--version"], /^v(2\d|[3-9]\d)/) ? ["node"] : undefined;
}

function asCommand(path: string | null | undefined): string[] | undefined {
  return path ? [path] : undefined;
}

function prints(command: string[], expected: RegExp): boolean {
  if (Bun.which(command[0]!) === null) return false;
  const { stdout, stderr } = Bun.spawnSync(command, { stdin: "ignore" });
  return expected.test(`${stdout}${stderr}`);
}
