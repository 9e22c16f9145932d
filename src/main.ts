import { versionText } from "./lib/build-info.ts";

// Imports nothing else at once: what is loaded here delays every command and every thread.

const args = process.argv.slice(2);

if (!Bun.isMainThread) {
  // The executable contains one program, so its threads start at the same entry point.
  await (await import("./app/thread-tasks.ts")).runThreadTask();
} else if (args.length === 1 && ["version", "--version", "-V"].includes(args[0]!)) {
  // Loading the parser takes longer than starting the runtime.
  console.log(versionText);
} else {
  const { runProcess } = await import("./cli/process.ts");
  await runProcess(args, (code) => process.exit(code));
}
