const voidElements = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
/** Elements that contain text and elements within a line only. */
const phrasingOnly = new Set(
  "abbr b bdi button code dfn em h1 h2 h3 h4 h5 h6 i kbd label legend p pre small span strong sub summary sup time".split(
    " ",
  ),
);
/** Elements that are allowed only between paragraphs. */
const flowOnly = new Set(
  "article aside blockquote details dialog div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul".split(
    " ",
  ),
);
const interactive = new Set("a button details input label select textarea".split(" "));
/** The parents that an element may have. */
const parents: Record<string, readonly string[]> = {
  li: ["ul", "ol"],
  dt: ["dl", "div"],
  dd: ["dl", "div"],
  tr: ["thead", "tbody"],
  td: ["tr"],
  th: ["tr"],
  thead: ["table"],
  tbody: ["table"],
  caption: ["table"],
  option: ["select", "optgroup", "datalist"],
  legend: ["fieldset"],
  summary: ["details"],
};
/** The only children of an element. */
const children: Record<string, readonly string[]> = {
  ul: ["li"],
  ol: ["li"],
  dl: ["dt", "dd", "div"],
  table: ["caption", "thead", "tbody"],
  tr: ["td", "th"],
};
const references = ["for", "aria-describedby", "aria-labelledby", "aria-controls", "popovertarget", "form"];
const obsolete = ["align", "bgcolor", "border", "valign", "nowrap"];

const tags =
  /<!doctype html>|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z][a-z0-9:-]*(?:="[^"]*")?)*)\s*\/?>|<[^]{0,20}/gi;

/**
 * Returns what the HTML standard does not allow in a page that this project has written: unbalanced tags, elements in
 * places where browsers move them, duplicate ids, and references to ids that do not exist. Stricter than the standard
 * in that every end tag is written.
 */
export function htmlProblems(html: string): string[] {
  const problems: string[] = [];
  const open: string[] = [];
  const ids = new Set<string>();
  const referred: { attribute: string; id: string }[] = [];
  for (const [text, end, tag, attributeText = ""] of html.matchAll(tags)) {
    if (tag === undefined) {
      if (text.toLowerCase() !== "<!doctype html>") problems.push(`markup cannot be parsed at ${text}`);
      continue;
    }
    const name = tag.toLowerCase();
    // The shapes within an image follow other rules.
    if (open.includes("svg") && name !== "svg") continue;
    if (end === "/") {
      for (const unclosed of open
        .splice(Math.max(0, open.lastIndexOf(name)))
        .slice(1)
        .toReversed())
        problems.push(`${unclosed} is not closed before /${name}`);
      continue;
    }
    problems.push(...placeProblems(name, open));
    problems.push(...attributeProblems(name, attributeText, ids, referred));
    if (!voidElements.has(name)) open.push(name);
  }
  for (const name of open) problems.push(`${name} is not closed`);
  for (const { attribute, id } of referred)
    if (!ids.has(id)) problems.push(`${attribute} refers to ${id}, which does not exist`);
  return problems;
}

function placeProblems(name: string, open: readonly string[]): string[] {
  const problems: string[] = [];
  const parent = open.at(-1) ?? "nothing";
  const within = (ancestors: (one: string) => boolean) => open.findLast(ancestors);
  const line = within((one) => phrasingOnly.has(one));
  // A summary may contain a heading.
  if (line !== undefined && flowOnly.has(name) && !(line === "summary" && /^h\d$/.test(name)))
    problems.push(`${name} in ${line}`);
  const outer = within((one) => one === "a" || one === "button");
  if (outer !== undefined && interactive.has(name)) problems.push(`${name} in ${outer}`);
  if (name === "form" && open.includes("form")) problems.push("form in form");
  const allowed = parents[name];
  const only = children[parent];
  if ((allowed !== undefined && !allowed.includes(parent)) || (only !== undefined && !only.includes(name)))
    problems.push(`${name} in ${parent}`);
  return problems;
}

function attributeProblems(
  name: string,
  text: string,
  ids: Set<string>,
  referred: { attribute: string; id: string }[],
): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [, given, value = ""] of text.matchAll(/([a-z][a-z0-9:-]*)(?:="([^"]*)")?/gi)) {
    const attribute = given!.toLowerCase();
    if (seen.has(attribute)) problems.push(`${name} has ${attribute} twice`);
    seen.add(attribute);
    if (obsolete.includes(attribute)) problems.push(`${name} has the obsolete ${attribute}`);
    if (attribute === "id") {
      if (ids.has(value)) problems.push(`the id ${value} occurs twice`);
      ids.add(value);
    }
    if (attribute === "href" && /^#./.test(value)) referred.push({ attribute, id: value.slice(1) });
    if (references.includes(attribute)) for (const id of value.split(" ")) referred.push({ attribute, id });
  }
  if (name === "img" && !seen.has("alt")) problems.push("img without alt");
  if (name === "button" && !seen.has("type")) problems.push("button without type");
  return problems;
}
