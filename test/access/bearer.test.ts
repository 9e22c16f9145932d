import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { bearerToken, tokenOf } from "../../src/access/keys/bearer.ts";

const app = new Elysia().use(bearerToken()).get("/", ({ bearer }) => ({ bearer: bearer ?? null }));

async function bearerOf(authorization: string | undefined, query = ""): Promise<string | null> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const response = await app.handle(new Request(`http://localhost/${query}`, { headers }));
  expect(response.status).toBe(200);
  const { bearer: token } = (await response.json()) as { bearer: string | null };
  // Both implementations agree.
  if (query === "") expect(tokenOf(authorization) ?? null).toBe(token);
  return token;
}

const accepted = ["Bearer abc", "bearer abc", "BEARER abc", "bEaReR    abc", "Bearer abc  "];
for (const header of accepted) {
  test(`the Authorization header "${header}" contains the token abc`, async () => {
    expect(await bearerOf(header)).toBe("abc");
  });
}

const rejected = [
  undefined,
  "",
  "Bearer",
  "Bearer ",
  "BearerX abc",
  "Bearerabc",
  "Basic abc",
  "abc",
  "Bearer a b",
];
for (const header of rejected) {
  test(`the Authorization header "${header}" contains no token`, async () => {
    expect(await bearerOf(header)).toBeNull();
  });
}

test("a token in the query is ignored", async () => {
  for (const query of ["?access_token=abc", "?%ED%A0%80=abc", "?%EF%BF%BD=abc", "?=abc", "?undefined=abc"]) {
    expect(await bearerOf(undefined, query)).toBeNull();
  }
});

test("a long run of spaces is rejected in linear time", () => {
  expect(tokenOf(`Bearer a${" ".repeat(60_000)}b`)).toBeUndefined();
});
