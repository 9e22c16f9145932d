const insideVariable = "PHISHWATCH_CAMPAIGN_INSIDE";

/** Network of addresses that the executable regards as public. */
const network = "11.22.33.0/24";

/** Returns an address of the network that a namespace has. @param host 1 to 254 */
export const publicAddress = (host: number): string => network.replace(/0\/24$/, String(host));

/**
 * Runs the campaign again in a network namespace without a path to any other machine, whose loopback interface has public
 * addresses and may serve port 80: the executable opens pages only at such addresses. Returns inside of it.
 */
export async function enterNamespace(): Promise<void> {
  if (process.env[insideVariable] === undefined) {
    const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
    const child = Bun.spawn(["unshare", ...user, "--net", "--", process.execPath, ...process.argv.slice(1)], {
      env: { ...process.env, [insideVariable]: "1" },
      stdio: ["inherit", "inherit", "inherit"],
    });
    process.on("exit", () => child.kill("SIGTERM"));
    process.exit(await child.exited);
  }
  for (const command of ["link set lo up", `route add local ${network} dev lo`]) {
    const { exitCode, stderr } = Bun.spawnSync(["ip", ...command.split(" ")]);
    if (exitCode !== 0) throw new Error(`ip ${command}: ${stderr.toString()}`);
  }
}
