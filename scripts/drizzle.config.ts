import { defineConfig } from "drizzle-kit";

// drizzle-kit requires a default export. Paths are relative to the top of the repository, where
// scripts/generate-migration runs it.
export default defineConfig({
  dialect: "sqlite",
  schema: "./src/**/tables.ts",
  out: "./drizzle",
});
