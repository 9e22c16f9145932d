import { defineConfig } from "drizzle-kit";

// drizzle-kit insists on a default export. Its paths are relative to the top of the
// project, where scripts/generate-migration starts it.
export default defineConfig({
  dialect: "sqlite",
  schema: "./src/**/tables.ts",
  out: "./drizzle",
});
