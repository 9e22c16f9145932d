import { versionText } from "./platform/lib/build-info.ts";

// Imports nothing else at once: what is loaded here delays every command and every thread.

const args = process.argv.slice(2);

if (!Bun.isMainThread) {
  // The executable contains one program, so its threads start at the same entry point.
  await (await import("./app/thread-tasks.ts")).runThreadTask();
} else if (!(
  args.length === 1 &&
  ["version", "--version", "-V"].includes(args[0]!) &&
  (await printVersion())
)) {
  const { runProcess } = await import("./cli/process.ts");
  await runProcess(args, (code) => process.exit(code));
}

/** Prints the version without loading the parser, which takes longer than starting the runtime. Returns whether it could. */
async function printVersion(): Promise<boolean> {
  try {
    await Bun.write(Bun.stdout, `${versionText}\n`);
    return true;
  } catch {
    // The command reports why, unless output is not wanted any more.
    return false;
  }
}
