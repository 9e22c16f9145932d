import { expect, test } from "bun:test";
import { join } from "node:path";
import help from "../../../src/web/console/kit/help.json" with { type: "json" };
import { controlNames } from "../../../src/web/console/kit/form-fields.tsx";
import { schemaProblems } from "../../support/json-schema.ts";

const source = join(import.meta.dir, "../../../src/web/console");
const text = { type: "string", minLength: 1 };
const isTrue = { const: true };
const choice = {
  type: "object",
  properties: { value: { type: "string" }, label: text, hint: text },
  required: ["value", "label"],
  additionalProperties: false,
};
const only = (property: string, further = {}) => ({
  type: "object",
  properties: { [property]: text, ...further },
  required: [property],
  additionalProperties: false,
});
const field = {
  type: "object",
  properties: {
    name: { type: "string", pattern: "^[a-z_]+$" },
    control: { enum: controlNames },
    label: text,
    hint: text,
    help: { enum: Object.keys(help) },
    initial: text,
    type: { enum: ["date", "number", "password", "time", "url"] },
    required: isTrue,
    autofocus: isTrue,
    autocomplete: text,
    maxLength: { type: "integer" },
    rows: { type: "integer" },
    placeholder: text,
    all: text,
    only: text,
    choices: { type: "array", items: choice },
  },
  required: ["name", "label"],
  additionalProperties: false,
};
const folded = only("more", { fields: { type: "array", items: field } });
const parts = { type: "array", items: { anyOf: [field, only("heading"), only("part"), folded] } };

test.each([...new Bun.Glob("**/*-form.json").scanSync(source)])("the parts of %s are known", async (file) => {
  const { fields } = (await Bun.file(join(source, file)).json()) as { fields: object };
  expect(schemaProblems(parts, fields)).toEqual([]);
});
