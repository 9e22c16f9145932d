/** Updates `config.example.toml` and the manual's list of settings from the schema. Run it after a change to `src/platform/config/`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeConfig, renderExample } from "../src/platform/config/render.ts";

const top = join(import.meta.dir, "..");
const pagePath = join(top, "src/manual/configure.md");

/** Returns the page with a regenerated list of settings, one table for each table of the file. */
export function withSettings(page: string): string {
  const groups = Map.groupBy(describeConfig(), ({ path }) => path.slice(0, path.lastIndexOf(".")));
  const tables = [...groups].map(([group, rows]) => {
    const title = group.startsWith("[[") ? group : `[${group}]`;
    const lines = rows.map(({ path, default: standard, description }) => {
      const key = path.slice(path.lastIndexOf(".") + 1);
      const value = standard === null ? "required" : `\`${standard}\``;
      return `| \`${key}\` | ${value} | ${description.replaceAll("|", "\\|")} |`;
    });
    const note = rows.every(({ needsRestart }) => needsRestart) ? "A change needs a restart.\n\n" : "";
    return `### \`${title}\`\n\n${note}| Key | Default | Meaning |\n| --- | --- | --- |\n${lines.join("\n")}\n`;
  });
  const place = /(?<=<!-- settings -->\n)[^]*?(?=<!-- end of settings -->)/;
  if (!place.test(page)) throw new Error("the page has no markers for the list of settings");
  return page.replace(place, () => `\n${tables.join("\n")}\n`);
}

if (import.meta.main) {
  writeFileSync(join(top, "config.example.toml"), renderExample());
  writeFileSync(pagePath, withSettings(readFileSync(pagePath, "utf8")));
}
