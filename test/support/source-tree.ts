import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";

/** Reads the repository for the tests that check rules about its own code. Paths are relative to its top. */

export const top = join(import.meta.dir, "../..");

export function filesBelow(folder: string): string[] {
  if (!existsSync(join(top, folder))) return [];
  return readdirSync(join(top, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => toPosix(relative(top, join(entry.parentPath, entry.name))))
    .sort();
}

/**
 * Returns the paths of the files that git does not ignore, also of new ones. The folder also contains what an appliance, a
 * build and the tests leave. Works in an archive of the project, too, because it asks an empty repository.
 */
export function projectFiles(folder = top): string[] {
  const repository = mkdtempSync(join(tmpdir(), "phishwatch-files-"));
  try {
    git(["init", "-q", "--bare", repository]);
    const options = [`--git-dir=${repository}`, `--work-tree=${folder}`, "-C", folder];
    return git([...options, "ls-files", "-z", "--others", "--exclude-standard"])
      .split("\0")
      .slice(0, -1);
  } finally {
    rmSync(repository, { recursive: true });
  }
}

function git(args: string[]): string {
  const { success, stdout, stderr } = Bun.spawnSync(["git", ...args]);
  if (!success) throw new Error(`git failed: ${stderr.toString()}`);
  return stdout.toString();
}

export function read(path: string): string {
  return readFileSync(join(top, path), "utf8");
}

/** Returns `path:line: text` for each line that matches. */
export function offenders(paths: string[], pattern: RegExp): string[] {
  return paths.flatMap((path) =>
    read(path)
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  );
}

export interface Import {
  path: string;
  specifier: string;
  /** Path of the imported file; undefined for a package. */
  target: string | undefined;
}

/** Returns every import, including imports of types: a type is a dependency, too. */
export function importsOf(paths: string[]): Import[] {
  return paths.flatMap((path) =>
    specifiersIn(read(path)).map((specifier) => ({
      path,
      specifier,
      target: specifier.startsWith(".")
        ? toPosix(relative(top, resolve(top, dirname(path), specifier)))
        : undefined,
    })),
  );
}

export function specifiersIn(text: string): string[] {
  const statement =
    /^(?:import|export)\b[^;"'`]*?(?:from\s*)?"([^"]+)"|\b(?:import|require)\(\s*"([^"]+)"\s*\)/gm;
  return [...text.matchAll(statement)].map(([, fixed, dynamic]) => fixed ?? dynamic ?? "");
}

/** Returns the modules that must be loaded before a module runs. Types and dynamic imports are not among them. */
export function loadedAtOnce(text: string): string[] {
  const statement = /^(?:import(?!\s+type\b)|export(?!\s+type\b))\b[^;"'`]*?(?:from\s*)?"([^"]+)"/gm;
  return [...text.matchAll(statement)].map(([, specifier]) => specifier ?? "");
}

/**
 * Returns the strongly connected components with more than one node, each sorted (Tarjan 1972). A graph without
 * cycles has none.
 */
export function cyclesIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string) => {
    order.set(node, order.size);
    low.set(node, order.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) {
        visit(next);
        low.set(node, Math.min(low.get(node)!, low.get(next)!));
      } else if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, order.get(next)!));
    }
    if (low.get(node) !== order.get(node)) return;
    const component = stack.splice(stack.indexOf(node));
    if (component.length > 1) cycles.push(component.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return cycles;
}

/** Returns the import graph between the files or, with `nodeOf`, between groups of them. */
export function importGraph(imports: Import[], nodeOf = (path: string) => path): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { path, target } of imports) {
    if (target === undefined) continue;
    const [from, to] = [nodeOf(path), nodeOf(target)];
    if (!graph.has(from)) graph.set(from, new Set());
    if (from !== to) graph.get(from)!.add(to);
  }
  return graph;
}

function toPosix(path: string): string {
  return path.split(sep).join("/");
}
