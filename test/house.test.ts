import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "bun:test";
import { browserScript } from "../src/web/console/browser/script.ts";
import { shellRoutes } from "../src/web/console/console.tsx";
import { pageGroups } from "../src/web/console/page-groups.ts";
import { permissions } from "../src/platform/vocabulary/permissions.ts";
import {
  cyclesIn,
  filesBelow,
  importGraph,
  importsOf,
  loadedAtOnce,
  offenders,
  projectFiles,
  read,
  specifiersIn,
  top,
} from "./support/source-tree.ts";

// House rules that a test can check. Each failure lists every violation.

const sourceLinesMax = 400;
const folderFilesMax = 25;
const functionLinesMax = 100;
/** Words and phrases that plain English does without; the left side of the glossary in CONTRIBUTING. */
const stumblingWords =
  /\b(anew|at will|besides|time-outs?|look-ups?|thereof|whoever|under way|told of|(?:is|are|was|were) told|tells? of|so many|that is none|in the place of|by itself|hand(?:s|ed)? over|misspelt)\b/i;
/**
 * Size of the console's script after minification. It is loaded with every page and has to leave most of the first
 * view's 100 kB to content; triage by keyboard, the panel and the command bar need about this much.
 */
const browserScriptBytesMax = 24_000;
/** Total size of the console's own style sheets, formatted; about a fifth of it travels. */
const styleBytesMax = 54_000;
const readmeLinesMax = 250;
/** Size of an image in the README. */
const imageBytesMax = 100_000;
/** Rooms that others can use without the appliance. */
const libraries = [
  "engines/archive",
  "engines/detection",
  "engines/certificate-transparency",
  "platform/network",
];
/** Files of lib that know the appliance: its version, and the events of its log. */
const applianceTools = /^src\/platform\/lib\/(?:build-info\.ts|log\.ts|needs\.ts|log-events\/)/;
/** Built-in modules without input or output. */
const pureModules = ["node:url", "node:util", "node:buffer"];

const guide = read(".github/CONTRIBUTING.md");
/** Parts from top to bottom, and the rooms of each: a room imports only from those below it. The documents define both. */
const parts = firstCells(section("Code layout")).flatMap(named).map(withoutEnding);
const roomsOf = new Map(parts.map((part) => [part, roomsIn(part)]));
const rooms = parts.flatMap((part) => {
  const names = roomsOf.get(part)!;
  return names.length > 0 ? names.map((room) => `${part}/${room}`) : [part];
});
const partEntriesMax = 16;
const partReadmeLinesMax = 20;

const sources = filesBelow("src");
const typescript = sources.filter((path) => /\.tsx?$/.test(path));
const everyTextFile = [
  ...["src", "test", "scripts", "drizzle", ".ci"].flatMap(filesBelow),
  ...projectFiles().filter((path) => !path.includes("/")),
].filter((path) => !/\.(png|jpe?g|gif|webp|ico|woff2?|gz|zst|db)$/.test(path));

describe("imports", () => {
  test("run downward only, from part to part and from room to room", () => {
    const upwards = importsOf(typescript).filter(({ path, target }) => {
      if (!target?.startsWith("src/")) return false;
      const [from, to] = [roomOf(path), roomOf(target)];
      return from !== to && rooms.indexOf(from) >= rooms.indexOf(to);
    });
    expect(upwards.map(({ path, specifier }) => `${path} imports ${specifier}`)).toEqual([]);
  });

  test("let libraries use only libraries and the general tools of lib, also indirectly", () => {
    const imported = Map.groupBy(importsOf(typescript), ({ path }) => path);
    const reached = new Set(typescript.filter((path) => libraries.includes(roomOf(path))));
    for (const path of reached)
      for (const { target } of imported.get(path) ?? []) if (target?.endsWith(".ts")) reached.add(target);
    const allowed = [...libraries, "platform/lib"];
    const isOfAppliance = (path: string) => !allowed.includes(roomOf(path)) || applianceTools.test(path);
    expect([...reached].filter(isOfAppliance)).toEqual([]);
  });

  test("let detection do no input and output, and read no clock", () => {
    const impure = importsOf(typescript).filter(
      ({ path, specifier }) =>
        roomOf(path) === "engines/detection" &&
        (/^((node|bun):|bun$)/.test(specifier) || specifier.includes("platform/network")) &&
        !pureModules.includes(specifier),
    );
    expect(impure.map(({ path, specifier }) => `${path} imports ${specifier}`)).toEqual([]);
  });

  test("leave src only for package.json, the migrations and the generated client", () => {
    const outside = importsOf(typescript).filter(
      ({ target }) =>
        target !== undefined && !/^(src|drizzle|scripts\/client)\/|^package\.json$/.test(target),
    );
    expect(outside.map(({ path, specifier }) => `${path} imports ${specifier}`)).toEqual([]);
  });

  test("do not load detection's tables at startup, but when the first name is classified", () => {
    const loaded = new Set<string>();
    const load = (path: string) => {
      if (loaded.has(path)) return;
      loaded.add(path);
      for (const specifier of loadedAtOnce(read(path))) {
        if (specifier.startsWith(".") && /\.tsx?$/.test(specifier)) {
          load(relative(top, resolve(top, dirname(path), specifier)));
        }
      }
    };
    for (const start of ["src/main.ts", "src/app/app.ts"]) load(start);
    // With these come all others.
    const heavy = [
      "src/engines/detection/match/matcher.ts",
      "src/engines/detection/generate/permutations.ts",
      "src/engines/detection/data/lexicon.ts",
    ];
    expect(heavy.filter((path) => loaded.has(path))).toEqual([]);
    expect(loaded).toContain("src/engines/detection/names/name.ts");
  });

  test("are loaded later than at the start only by the files in the list of startup.ts, each group of which saves enough", () => {
    const groups = read("src/platform/lib/startup.ts")
      .replaceAll(/\n \*(?= {2,}`)|\n \* {3}/g, " ")
      .matchAll(/^ \* - .*, ([\d.]+) (ms|MB):(.*)/gm);
    const listed = [...groups].map(([, saved, unit, files]) => ({
      saves: Number(saved) >= (unit === "ms" ? 5 : 1),
      files: [...files!.matchAll(/`([^`]+)`/g)].map(([, path]) => `src/${path}`),
    }));
    expect(listed.every(({ saves }) => saves)).toBe(true);
    const loads = /\brequire\(\s*"|(?<!\btypeof )\bimport\(\s*"/;
    const found = typescript.filter((path) => loads.test(read(path)));
    expect(found).toEqual(listed.flatMap(({ files }) => files).sort());
  });

  test("of files include the extension and name a file that exists", () => {
    const broken = importsOf(typescript).filter(
      ({ target }) => target !== undefined && !existsSync(join(top, target)),
    );
    expect(broken.map(({ path, specifier }) => `${path} imports ${specifier}`)).toEqual([]);
  });

  test("are found by the scanner that these rules use", () => {
    const text = [
      `import { a } from "./a.ts";`,
      `import type {\n  B,\n} from "../b/b.ts";`,
      `export * from "./c.ts";`,
      `import "./d.ts";`,
      `const e = await import("./e.ts");`,
      `const g = require("./g.ts");`,
      `import f from "../f.json" with { type: "json" };`,
    ].join("\n");
    expect(specifiersIn(text)).toEqual([
      "./a.ts",
      "../b/b.ts",
      "./c.ts",
      "./d.ts",
      "./e.ts",
      "./g.ts",
      "../f.json",
    ]);
  });
});

describe("source files", () => {
  test(`are in few parts: src has at most ${partEntriesMax} entries`, () => {
    expect(entriesOf("src").length).toBeLessThanOrEqual(partEntriesMax);
  });

  test("are in a room, at most one folder below it; pages of a section and kinds of traps at most two", () => {
    const misplaced = typescript.filter((path) => {
      if (path === "src/main.ts") return false;
      if (!rooms.includes(roomOf(path))) return true;
      const below = path.slice(`src/${roomOf(path)}/`.length).split("/").length;
      return below > (/^src\/(web\/console\/pages|response\/traps\/kinds)\//.test(path) ? 3 : 2);
    });
    expect(misplaced).toEqual([]);
  });

  test(`have at most ${sourceLinesMax} lines`, () => {
    const long = typescript
      .map((path) => ({ path, lines: read(path).trimEnd().split("\n").length }))
      .filter(({ lines }) => lines > sourceLinesMax);
    expect(long).toEqual([]);
  });

  test("export by name, never by default", () => {
    expect(offenders(typescript, /^export default\b|\bas default\b/)).toEqual([]);
  });

  test("leave process.exit to main.ts", () => {
    expect(
      offenders(
        typescript.filter((path) => path !== "src/main.ts"),
        /\bprocess\.exit\(/,
      ),
    ).toEqual([]);
  });

  test("write to the audit log in the services that make the change, not in their callers", () => {
    const callers = ["main", "cli", "sandbox", "app", "web"];
    const calls = typescript.filter((path) => callers.includes(partOf(path)));
    expect(offenders(calls, /\bauditLog\.record\(|\binsertAuditEntry\(/)).toEqual([]);
    const raw = typescript.filter((path) => !/^src\/(access|operations\/backups)\//.test(path));
    expect(offenders(raw, /\binsertAuditEntry\(|INSERT INTO audit_log/i)).toEqual([]);
  });

  test("query through `statement` and `prepare`: only files that other functions open are queried directly", () => {
    const opensFiles = /^src\/(platform\/database|operations\/backups|cli\/(checks|commands))\//;
    const direct = /\bsqlite\s*\??\.\s*(prepare|query|run|exec|serialize|transaction)\b/;
    expectOnly(
      [
        // Files that other functions open, such as backups, which may be of an earlier version.
        "src/access/audit/raw-entry.ts",
        "src/access/console/sessions.ts",
        "src/access/settings/raw-settings.ts",
        "src/operations/stores/growth.ts",
        "src/response/cases/restored-reports.ts",
        // An image of the database, and a lock.
        "src/sandbox/instance/instance.ts",
        "src/sandbox/world/move-image.ts",
        "src/web/api/site/health.ts",
      ],
      typescript.filter((path) => !opensFiles.test(path) && direct.test(read(path))),
    );
  });

  test("leave console.* to the command line", () => {
    const others = typescript.filter((path) => path !== "src/main.ts" && partOf(path) !== "cli");
    expect(offenders(others, /\bconsole\.\w+\(/)).toEqual([]);
  });

  test("take time, randomness and environment as arguments: only main, app, cli and lib access them", () => {
    const others = typescript.filter(
      (path) => !["main", "app", "cli", "platform/lib"].includes(roomOf(path)),
    );
    expect(offenders(others, /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.env\b/)).toEqual([]);
  });

  test("name their errors: class names do not survive minification", () => {
    const nameless = typescript.filter((path) => {
      const text = read(path);
      return [...text.matchAll(/\bclass (\w+) extends \w*Error\b/g)].some(
        ([, name]) => !new RegExp(`\\bname = "${name}"`).test(text),
      );
    });
    expect(nameless).toEqual([]);
  });
});

describe("exports", () => {
  test("are used by another file", () => {
    const readers = [...typescript, ...filesBelow("test"), ...filesBelow("scripts")].filter((path) =>
      /\.(tsx?|mjs|js)$|^scripts\/[^.]+$/.test(path),
    );
    const filesWith = new Map<string, number>();
    for (const path of readers)
      for (const word of new Set(read(path).match(/\w+/g)))
        filesWith.set(word, (filesWith.get(word) ?? 0) + 1);
    const lonely = typescript.flatMap((path) =>
      [...read(path).matchAll(/^export (?:async )?(?:const|function\*?|class) (\w+)/gm)]
        .map(([, name]) => name!)
        // The file that exports a name is the first with it.
        .filter((name) => filesWith.get(name) === 1)
        // Tables are read by the generator of migrations.
        .filter(() => !path.endsWith("/tables.ts"))
        .map((name) => `${path}: ${name}`),
    );
    expect(lonely).toEqual([]);
  });
});

describe("the console", () => {
  const pages = filesBelow("src/web/console");
  const styles = pages.filter((path) => path.endsWith(".css"));
  const styleText = styles.map((path) => read(path).replace(/\/\*[\s\S]*?\*\//g, "")).join("\n");

  test("contains all components and, except for the manual's, all style sheets", () => {
    const elsewhere = sources.filter((path) => /\.(tsx|css)$/.test(path) && roomOf(path) !== "web/console");
    expect(elsewhere).toEqual(["src/web/api/site/manual.css"]);
  });

  test("writes no inline style or script into a page, which the policy forbids, and no markup that bypasses the renderer", () => {
    const components = pages.filter((path) => path.endsWith(".tsx"));
    expect(
      offenders(components, /\bstyle=|<style\b|<script(?! src)|\bon[A-Z]\w+=|dangerouslySetInnerHTML/),
    ).toEqual([]);
  });

  const unused = () => new Response();
  const routes = [
    ...pageGroups.flatMap((group) => group.routes),
    ...shellRoutes({ signOut: unused, signOutEverywhere: unused }),
  ];

  test("requires a known permission for every route", () => {
    const open = routes.filter(({ permission }) => !permissions.includes(permission));
    expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect(routes.length).toBeGreaterThan(50);
  });

  test("requires more than reading for every POST", () => {
    const weak = routes.filter(({ method, permission }) => method === "POST" && permission === "read");
    expect(weak.map(({ path }) => path)).toEqual([]);
  });

  test("links its pages by the addresses in paths.ts", () => {
    const others = pages.filter((path) => /\.tsx?$/.test(path) && !path.endsWith("/paths.ts"));
    expect(offenders(others, /^(?! *(\/\*)?\*).*["`]\/console/)).toEqual([]);
  });

  test("uses only classes that have a rule, and has no rule for a class that is not used", () => {
    const code = pages.filter((path) => /\.(tsx?|js)$/.test(path)).map(read);
    const strings = code.flatMap((text) => text.match(/"[^"\n]*"|`[^`]*`/g) ?? []).join("\n");
    const words = new Set(strings.match(/[\w-]+/g));
    // Classes made of a start and a value: `c-${severity}`, `swatch h${step}`.
    const made = [...strings.matchAll(/[` ]([a-z]+-|h)\$\{/g)].map(([, start]) => start!);
    const styled = new Set([...styleText.matchAll(/\.([a-z][\w-]*)(?=[^{}]*\{)/g)].map(([, name]) => name!));
    const isMade = (name: string) =>
      made.some((start) => name.startsWith(start) && (start.endsWith("-") || /\d$/.test(name)));
    const isUsed = (name: string) => words.has(name) || isMade(name);
    expect([...styled].filter((name) => !isUsed(name))).toEqual([]);

    const attributes = code.flatMap((text) =>
      [...text.matchAll(/\bclass="([^"]+)"/g)].map(([, names]) => names!),
    );
    const classes = new Set(attributes.flatMap((names) => names.split(" ")));
    expect([...classes].filter((name) => !styled.has(name))).toEqual([]);
  });

  test("stays small: one script, and style sheets that a browser loads in one round trip", async () => {
    const files = { "/console.js": browserScript() };
    const { outputs } = await Bun.build({ entrypoints: ["/console.js"], files, minify: true });
    expect(outputs[0]!.size).toBeLessThanOrEqual(browserScriptBytesMax);
    const scripts = sources.filter((path) => path.endsWith(".js"));
    const others = scripts.filter((path) => !path.startsWith("src/web/console/browser/"));
    // Runs in the browser that takes screenshots.
    expect(others).toEqual(["src/facts/lookups/browser/read-markup.js"]);
    expect(scripts.filter((path) => !browserScript().includes(read(path)))).toEqual(others);
    expect(Buffer.byteLength(styleText)).toBeLessThanOrEqual(styleBytesMax);
  });
});

describe("the contributor guide", () => {
  test("lists all parts, and each part's README its rooms", () => {
    expect([...parts].sort()).toEqual(entriesOf("src").map(withoutEnding));
    for (const [part, names] of roomsOf) {
      if (names.length > 0) expect([...names, "README.md"].sort()).toEqual(entriesOf(`src/${part}`));
    }
  });

  test(`is completed by a README of at most ${partReadmeLinesMax} lines at the start of each part`, () => {
    const described = parts.filter((part) => part !== "main" && part !== "manual");
    expect(described.filter((part) => !sources.includes(`src/${part}/README.md`))).toEqual([]);
    const lines = described.map((part) => read(`src/${part}/README.md`).trimEnd().split("\n").length);
    expect(Math.max(...lines)).toBeLessThanOrEqual(partReadmeLinesMax);
  });

  test("names every package with its reason, and no other", () => {
    const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<string, object>;
    const packages = Object.keys({ ...dependencies, ...devDependencies });
    expect(firstCells(section("Packages")).flatMap(named).sort()).toEqual(packages.sort());
  });

  test("names only paths that exist, as do the decisions", () => {
    const decisions = filesBelow(".github/decisions").map(read);
    const paths = named([guide, ...decisions].join("\n").replace(/^```[\s\S]*?^```/gm, "")).flatMap(
      (text) => text.match(/(?:^|(?<=\s))(?:\.\/)?(?:src|test|scripts|drizzle|\.github)\/[\w./-]*/) ?? [],
    );
    expect(paths.length).toBeGreaterThan(25);
    expect(paths.filter((path) => !existsSync(join(top, path)) && !path.endsWith("generate-"))).toEqual([]);
  });
});

describe("the README", () => {
  test(`has at most ${readmeLinesMax} lines`, () => {
    expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(readmeLinesMax);
  });
});

describe("the project", () => {
  test("has only the known entries at the top", () => {
    const fixed = ["LICENSE", "README.md", "bun.lock", "config.example.toml", "drizzle", "package.json"];
    const known = new Set([...fixed, "scripts", "src", "test", "tsconfig.json"]);
    const names = new Set(projectFiles().map((path) => path.split("/")[0]!));
    expect(names.size).toBeGreaterThan(known.size);
    expect([...names].filter((name) => !name.startsWith(".") && !known.has(name))).toEqual([]);
  });

  test("does not include what a start, a build and the tests leave in its folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "phishwatch-house-"));
    const put = (path: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), "");
    };
    try {
      cpSync(join(top, ".gitignore"), join(folder, ".gitignore"));
      const left = ["data/phishwatch.db", "dist/phishwatch", ".phishwatch/state", ".tools/bun/bun"];
      for (const path of [...left, "node_modules/elysia/index.js", "README.md", "src/data/names.txt"])
        put(path);
      expect(projectFiles(folder).sort()).toEqual([".gitignore", "README.md", "src/data/names.txt"]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("pins packages without naming a registry's host", () => {
    expect(offenders(["bun.lock"], /:\/\//)).toEqual([]);
    const resolved = filesBelow("scripts").filter((path) => path.endsWith("package-lock.json"));
    expect(offenders(resolved, /"resolved"/)).toEqual([]);
    expect(offenders(everyTextFile, new RegExp(["registry", "npmjs"].join("\\.")))).toEqual([]);
  });

  test("pins the actions of its workflows by commit, with the version in a comment", () => {
    const unpinned = /\buses:(?! *[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/;
    expect(offenders(filesBelow(".github/workflows"), unpinned)).toEqual([]);
  });

  test("names no path of a developer's machine", () => {
    const folders = ["work", "top", "home", "Users", "tmp/wt"];
    expect(offenders(everyTextFile, new RegExp(`(^|[\\s"'\`(=:])/(${folders.join("|")})/[\\w.-]`))).toEqual(
      [],
    );
  });

  test("leaves no test.only behind", () => {
    expect(offenders(filesBelow("test"), /\b(test|it|describe)\.only\(/)).toEqual([]);
  });

  test("contains no raw bidirectional or invisible characters: write them as escapes", () => {
    const hidden = /[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u00AD]/u;
    expect(offenders(everyTextFile, hidden)).toEqual([]);
  });

  test("shows images in the README that exist, load quickly, and have alternative text", () => {
    const images = [...read("README.md").matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, words, path]) => ({
      path: path!,
      words,
      bytes: statSync(join(top, path!), { throwIfNoEntry: false })?.size ?? Infinity,
    }));
    expect(images.filter(({ words, bytes }) => words === "" || bytes > imageBytesMax)).toEqual([]);
    expect(images.map(({ path }) => path).sort()).toEqual(filesBelow(".github/screenshots"));
    expect(images).toHaveLength(3);
  });
});

describe("tests", () => {
  test("wait for conditions, not for fixed times, except where the list says why", () => {
    const allowed: Record<string, string> = {
      "test/support/until.ts": "the poll behind every condition",
      "test/messaging/deliveries/crash.test.ts":
        "a receiver that responds, and a kill that comes, at random moments",
      "test/facts/enrichment/off.test.ts": "samples the sockets of another process for a while",
    };
    const pausing = filesBelow("test").filter(
      (path) => path !== "test/house.test.ts" && /\bBun\.sleep(Sync)?\(/.test(read(path)),
    );
    expect(pausing).toEqual(Object.keys(allowed).sort());
  });

  test("wait for what they expect of a promise", () => {
    const forgotten = filesBelow("test").filter((path) =>
      /^\s*expect\((?:(?!;\n)[^])*?\)\s*\.(?:rejects|resolves)\b/m.test(read(path)),
    );
    expect(forgotten).toEqual([]);
  });

  test("expect one status, never one of several", () => {
    expect(
      offenders(filesBelow("test"), /\[ *[2-5]\d\d(, *[2-5]\d\d)+ *\]\)\.(toContain|toInclude)/),
    ).toEqual([]);
  });

  test("have names that are clear to somebody who has read no report", () => {
    const number = /\((?:(?:security|reliability|conformance|issue) [A-Z]?\d+|[BDFM]\d+)[,)]/;
    expect(offenders(filesBelow("test"), number)).toEqual([]);
  });
});

describe("migrations", () => {
  type Entry = { tag: string; when: number; idx: number };
  const journalPath = join(top, "drizzle/meta/_journal.json");
  const entries: Entry[] = existsSync(journalPath)
    ? JSON.parse(readFileSync(journalPath, "utf8")).entries
    : [];
  const files = filesBelow("drizzle").filter((path) => path.endsWith(".sql"));

  test("have strictly increasing timestamps: an older one would be skipped silently", () => {
    const stale = entries.filter(({ when }, index) => index > 0 && when <= (entries[index - 1]?.when ?? 0));
    expect(stale).toEqual([]);
  });

  test("are the same in the journal and in the folder", () => {
    expect(files).toEqual(entries.map(({ tag }) => `drizzle/${tag}.sql`));
  });

  test("separate their statements by breakpoints: a second statement without one would be skipped silently", () => {
    const joined = files.filter((path) =>
      read(path)
        .split("--> statement-breakpoint")
        .some((part) => statementsIn(part) !== 1),
    );
    expect(joined).toEqual([]);
  });
});

/** Fails for an offender that is not listed and for a listed exception that is no longer needed. */
function expectOnly(exceptions: readonly string[], found: readonly string[]): void {
  expect(exceptions.length).toBeLessThanOrEqual(10);
  expect([...found].sort()).toEqual([...exceptions].sort());
}

describe("the structure", () => {
  /** A file directly below src is a subject of its own. */
  const folderOf = (path: string) => (/^src\/[^/]+$/.test(path) ? path : dirname(path));
  const imports = importsOf(typescript);

  test("has no import cycles between files, types included", () => {
    expect(cyclesIn(importGraph(imports))).toEqual([]);
  });

  test("has no import cycles between folders, types included", () => {
    expect(cyclesIn(importGraph(imports, folderOf))).toEqual([]);
  });

  test(`has at most ${folderFilesMax} files in a folder, except in a series of similar files`, () => {
    const counts = new Map<string, number>();
    for (const path of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const series = ["src/cli/commands", "src/manual"];
    expectOnly(
      series,
      [...counts].filter(([, count]) => count > folderFilesMax).map(([folder]) => folder),
    );
  });

  test(`has at most ${functionLinesMax} lines in a function, except in plain wiring`, () => {
    const wiring = ["src/app/app.ts: openApp"];
    expectOnly(wiring, longFunctions());
  });
});

describe("the language", () => {
  const written = [
    ...everyTextFile.filter((path) =>
      /^(src|test|scripts)\/.*\.(tsx?|js|css|md|sh)$|^scripts\/[^.]+$/.test(path),
    ),
    "README.md",
    ...filesBelow(".github").filter((path) => /\.(md|ya?ml)$/.test(path)),
  ].filter((path) => path !== "test/house.test.ts");

  test("begins no comment with a dangling clause", () => {
    const opening = /^\s*(?:\/\*\*|\*|\/\/) (?:What|Of|Whose|Whoever|So many|So that|So long) /;
    expect(offenders(written, opening)).toEqual([]);
  });

  test("avoids the words that readers stumble over", () => {
    const exceptions: string[] = [];
    expectOnly(
      exceptions,
      offenders(written, stumblingWords).map((line) => line.split(":", 1)[0]!),
    );
  });
});

/** Returns `path: name` of each function in src that is longer than the limit; the linter counts. */
function longFunctions(): string[] {
  const config = join(top, "test/support/function-length.oxlintrc.json");
  const linter = join(top, "node_modules/oxlint/bin/oxlint");
  const { stdout } = Bun.spawnSync([process.execPath, linter, "--format=json", `--config=${config}`, "src"], {
    cwd: top,
  });
  const { diagnostics } = JSON.parse(stdout.toString()) as {
    diagnostics: { filename: string; message: string }[];
  };
  return diagnostics.map(({ filename, message }) => `${filename}: ${/`(.+?)`/.exec(message)?.[1] ?? "?"}`);
}

function partOf(path: string): string {
  return withoutEnding(path.split("/")[1] ?? "");
}

/** Returns `part/room`, or the part if it has no rooms. */
function roomOf(path: string): string {
  const part = partOf(path);
  return roomsOf.get(part)?.length ? `${part}/${path.split("/")[2]}` : part;
}

/** Returns the rooms that a part's README lists, from top to bottom of the imports. */
function roomsIn(part: string): string[] {
  const readme = `src/${part}/README.md`;
  const list = existsSync(join(top, readme))
    ? (read(readme).split(/^Rooms, from top to bottom.*$/m)[1] ?? "")
    : "";
  return [...list.matchAll(/^- `([\w-]+)\/`/gm)].map(([, room]) => room!);
}

function entriesOf(folder: string): string[] {
  const names = sources
    .filter((path) => path.startsWith(`${folder}/`))
    .map((path) => path.slice(folder.length + 1));
  return [...new Set(names.map((name) => name.split("/", 1)[0]!))].sort();
}

function withoutEnding(name: string): string {
  return name.replace(/\/$|\.ts$/, "");
}

function section(title: string): string {
  return guide.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
}

function named(cells: string): string[] {
  return [...cells.matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
}

function firstCells(text: string): string[] {
  return text.split("\n").flatMap((line) => line.match(/^\|([^|]*)\|/)?.[1] ?? []);
}

/** Counts statements. A trigger is one statement although its body contains semicolons. */
function statementsIn(sql: string): number {
  const flat = sql
    .replace(/--.*$/gm, "")
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\bCREATE TRIGGER\b[\s\S]*?\bEND\s*;/gi, "TRIGGER;");
  return flat.split(";").filter((statement) => statement.trim() !== "").length;
}
