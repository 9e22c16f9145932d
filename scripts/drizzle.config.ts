export default { dialect: "sqlite", schema: "./src/*/tables.ts", out: "./drizzle" };
