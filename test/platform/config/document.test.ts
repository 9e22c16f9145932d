import { expect, test } from "bun:test";
import { parseDocument } from "../../../src/platform/config/toml/document.ts";
import type { TomlNode } from "../../../src/platform/config/toml/document.ts";

/** Each construct of TOML 1.0. */
const everything = `# comment
bare_key-1 = "basic \\"string\\" \\t \\u00E9 \\U0001F600 \\\\" # comment
'quoted.key' = 'literal \\n'
"" = ""
dotted.key.a = true
dotted . key . "b c" = false
first = """
one line \\

    and the same line
"quoted" """
second = '''
  'kept' \\
'''
integers = [+1, -2, 0, 1_000, 0xDEAD_beef, 0o755, 0b1101]
floats = [ 1.5, -0.01, 5e+22, 6.626e-34, 1_0.2_5, inf, -inf,
  # a comment in an array
]
dates = [1979-05-27T07:32:00Z, 1979-05-27 07:32:00.5-07:00, 1979-05-27T07:32:00, 1979-05-27, 07:32:00]
nested = [ [1, 2], ["a"], { x = 1, y.z = [{}] } ]

[table."with.dot".sub]
key = 1
[table]
key = 2
[[array]]
name = "first"
[array.sub]
key = 3
[[array.inner]]
name = "inner"
[[array]]
[[array]]
name = "third"
[[array.inner]]
[[array.inner]]
`;

function plain(node: TomlNode): unknown {
  if (node.kind === "table") {
    return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plain(entry.node)]));
  }
  if (node.kind === "array") return node.items.map(plain);
  return node.kind === "date" ? "date" : node.value;
}

/** Bun's parser gives dates as objects of classes of its own. */
function withoutDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDates);
  if (typeof value !== "object" || value === null) return value;
  if (Object.prototype.toString.call(value) !== "[object Object]") return "date";
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutDates(item)]));
}

test("parseDocument reads every construct of TOML 1.0 as Bun's parser does", () => {
  const result = parseDocument(everything);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  expect(plain(result.root)).toEqual(withoutDates(Bun.TOML.parse(everything)));
});

test("syntax that only TOML 1.1 allows is an error", () => {
  for (const text of ['a = "\\e"', "a = {\n}", "a = { b = 1, }", 'a = "\\x41"', "a = 07:32"]) {
    expect(parseDocument(text).ok).toBe(false);
  }
});

test("each value and each key has its line and column", () => {
  const result = parseDocument('[a]\nb . c = [\n  1,\n "x"]\n[[d]]\n"e f" = { g = 1979-05-27 }\n');
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  const places: Record<string, string> = {};
  const visit = (node: TomlNode, path: string) => {
    places[path] = `${node.line}:${node.column}`;
    if (node.kind === "array") node.items.forEach((item, index) => visit(item, `${path}[${index}]`));
    if (node.kind !== "table") return;
    for (const [key, entry] of node.entries) {
      places[`key ${path}.${key}`] = `${entry.keyAt.line}:${entry.keyAt.column}`;
      visit(entry.node, `${path}.${key}`);
    }
  };
  visit(result.root, "");
  expect(places).toEqual({
    "": "1:1",
    "key .a": "1:1",
    ".a": "1:1",
    "key .a.b": "2:1",
    ".a.b": "2:1",
    "key .a.b.c": "2:5",
    ".a.b.c": "2:9",
    ".a.b.c[0]": "3:3",
    ".a.b.c[1]": "4:2",
    "key .d": "5:1",
    ".d": "5:1",
    ".d[0]": "5:1",
    "key .d[0].e f": "6:1",
    ".d[0].e f": "6:9",
    "key .d[0].e f.g": "6:11",
    ".d[0].e f.g": "6:15",
  });
});
