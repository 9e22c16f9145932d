import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withoutCommandVariables, type Record } from "./recording.ts";
import { environment } from "./server.ts";

/** Records help, output and errors of the commands, and what wrong configuration files lead to. */
export async function recordCommands(executable: string, record: Record): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "phishwatch-comparison-"));
  try {
    const run = (args: readonly string[], input = "") => {
      const { stdout, stderr, exitCode } = Bun.spawnSync([executable, ...args], {
        cwd: folder,
        env: { ...environment, PHISHWATCH_CONFIG: join(folder, "phishwatch.toml") },
        stdin: Buffer.from(input),
      });
      return `exit code ${exitCode}\n${stdout}\n--- standard error\n${stderr}`;
    };
    const observe = (args: readonly string[], input?: string) =>
      record(`command: ${args.join(" ")}`, withoutCommandVariables(run(args, input), folder));

    recordHelp(run, (name, text) => record(`command: ${name}`, text));
    prepare(folder);
    for (const args of commandLines) observe(args, names);
    observe(["init", "new.toml"]);
    recordConfigurationErrors(folder, readFileSync(join(folder, "new.toml"), "utf8"), run, record);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Run = (args: readonly string[], input?: string) => string;

/** Follows the lists of commands in the help of every command. */
function recordHelp(run: Run, record: Record): void {
  const waiting: string[][] = [[]];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const help = run([...path, "--help"]);
    record([...path, "--help"].join(" "), help);
    const commands = /^Commands:\n((?: {2}.*\n)+)/m.exec(help)?.[1] ?? "";
    for (const [, name] of commands.matchAll(/^ {2}([a-z-]+)/gm))
      if (name !== "help") waiting.push([...path, name!]);
    const topics = /^Manual \(.*\n((?: {2}.*\n)+)/m.exec(help)?.[1] ?? "";
    for (const [topic] of topics.matchAll(/[a-z-]+/g)) record(`help ${topic}`, run(["help", topic]));
  }
}

function prepare(folder: string): void {
  mkdirSync(join(folder, "feeds"));
  writeFileSync(join(folder, "names.txt"), names);
  writeFileSync(
    join(folder, "phishwatch.toml"),
    [
      `[storage]\npath = "data.db"`,
      `[console]\npassword = "correct horse battery staple"`,
      `[scan]\nschedule = ""\nresolvers = ["127.0.0.1:9"]\nscreenshots = "off"`,
      `[lookups]\nenabled = false`,
      `[[protected_domains]]\ndomain = "example-bank.com"\nallow = ["example-bank.example"]`,
      `[[feeds]]\nname = "folder"\npath = "feeds"`,
    ].join("\n"),
  );
}

const names = "examp1e-bank.com\nexample-bank.evil.top\nlogin-example-bank.net\nnews.org\nnot a name\n";

/** In this order: later ones show what earlier ones changed. */
const commandLines = `
version --json
check --json
match names.txt
match --json names.txt
match --protect samplix.org --min-similarity 0.5 -
match --explain examp1e-bank.com
permutations example-bank.com
permutations example-bank.com --json --limit 50
permutations x.com
import names.txt
import names.txt --json
import missing.txt
threats list
threats list --json
threats list --status resolved
threats list --status open
threats show thr_unknown
search bank
domains list
domains list --json
domains add samplix.org --keyword samplix
domains add not_a_name
domains list
domains remove samplix.org
domains remove example-bank.com
keys create --name first --json
keys create --name second --plan free --scope threats:read
keys create --name third --plan gold
keys list
keys list --json
webhooks add https://soc.example/hooks --name soc
webhooks add https://soc.example/hooks --name soc
webhooks add http://soc.example/hooks --name plain
webhooks add https://169.254.169.254/ --name metadata
webhooks list
webhooks list --json
webhooks disable soc
webhooks change soc --event threat.created
webhooks rotate soc
webhooks deliveries
webhooks deliveries --json
webhooks remove soc
channels add chat --type slack --url https://hooks.example/slack
channels add phone --type ntfy --topic a-topic
channels add wrong --type pigeon
channels list
channels list --json
channels disable chat
subscriptions add high --channel chat --min-severity high
subscriptions add none --channel missing
subscriptions list
subscriptions list --json
lists add block
lists add block
lists list
lists list --json
lists show block
lists export block --format hosts
lists export block --format rpz
lists export missing
beacons create example-bank.com --name page
beacons list --json
honeytokens create url --name memo
honeytokens list
users add anna --role analyst
users add anna --role analyst
users add bob --role king
users list
users list --json
users role anna viewer
users disable anna
campaigns list
takedowns list
takedowns stats
feeds list
certificate-logs list
certificate-logs status
scan unknown.example
retention show
database info --json
data show
backup --to backups
backups list
backups verify
backup copy.db
restore missing.db
standby status
monitoring metrics
monitoring alerts
monitoring dashboard
completion bash
completion zsh
completion fish
completion tcsh
man
reload
service install --dry-run
unknown
threats unknown
serve --unknown
check --running
`
  .trim()
  .split("\n")
  .map((line) => line.split(" "));

/** Every key of the configuration with a value of another type, misspelled, and in a file with all errors at once. */
function recordConfigurationErrors(folder: string, example: string, run: Run, record: Record): void {
  const path = join(folder, "wrong.toml");
  const observe = (name: string, text: string) => {
    writeFileSync(path, text);
    record(`configuration: ${name}`, run(["check", "--config", path]).replaceAll(folder, "<folder>"));
  };
  const lines = example.split("\n").map((line) => line.replace(/^# ?(?=\[|[a-z_0-9]+ = )/, ""));
  const settings = lines.filter((line) => /^(?:\[+[a-z_.0-9]+\]+|[a-z_0-9]+ = )/.test(line));
  const replaced = (value: string) =>
    settings.map((line) => line.replace(/^([a-z_0-9]+) = .*/, `$1 = ${value}`)).join("\n");
  for (const value of ["{ wrong = 1 }", "-1", '"\\u0000"', "[[1]]", "true", '""', '"x"', "1.5", "[]"])
    observe(`every key = ${value}`, replaced(value));
  observe("misspelled keys", settings.map((line) => line.replace(/^([a-z_0-9]+)(?= = )/, "$1x")).join("\n"));
  observe("misspelled tables", settings.map((line) => line.replace(/^(\[+[a-z_.0-9]+)/, "$1x")).join("\n"));
  observe("no TOML", "[server\nlisten = ");
}
