import { expect, test } from "bun:test";
import { join } from "node:path";

const source = join(import.meta.dir, "../../src/cli/appliance/shell-user.ts");

/** Returns the name that a process records for its user. A process cannot change it for itself. */
function recordedName(env: Record<string, string>): string {
  const script = `import { actorOfShell } from ${JSON.stringify(source)}; console.log(actorOfShell(process.env).name);`;
  const { stdout } = Bun.spawnSync([process.execPath, "-e", script], { env });
  return stdout.toString().trim();
}

test.each([
  ["by name", { USER: "ada" }, "ada"],
  ["by the original name under sudo", { USER: "root", SUDO_USER: "ada" }, "ada"],
  ["by number if the environment does not name it", {}, `user ${process.getuid!()}`],
])("a change by command line records the user %s", (_, env, name) => {
  expect(recordedName(env)).toBe(name);
});
