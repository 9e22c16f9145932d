/** Writes `config.example.toml` anew from the schema; run it after a change to `src/config/`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderExample } from "../src/config/render.ts";

writeFileSync(join(import.meta.dir, "..", "config.example.toml"), renderExample());
