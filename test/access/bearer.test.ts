import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { bearerToken, tokenOf } from "../../src/access/keys/bearer.ts";

const app = new Elysia().use(bearerToken()).get("/", ({ bearer }) => ({ bearer: bearer ?? null }));

async function bearerOf(authorization: string | undefined, query = ""): Promise<string | null> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const answer = await app.handle(new Request(`http://localhost/${query}`, { headers }));
  expect(answer.status).toBe(200);
  const { bearer: token } = (await answer.json()) as { bearer: string | null };
  // Both ways to it agree.
  if (query === "") expect(tokenOf(authorization) ?? null).toBe(token);
  return token;
}

const accepted = ["Bearer abc", "bearer abc", "BEARER abc", "bEaReR    abc", "Bearer abc  "];
for (const header of accepted) {
  test(`"${header}" carries the token abc`, async () => {
    expect(await bearerOf(header)).toBe("abc");
  });
}

const refused = [
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
for (const header of refused) {
  test(`"${header}" carries no token`, async () => {
    expect(await bearerOf(header)).toBeNull();
  });
}

test("a token is never taken from the query", async () => {
  for (const query of ["?access_token=abc", "?%ED%A0%80=abc", "?%EF%BF%BD=abc", "?=abc", "?undefined=abc"]) {
    expect(await bearerOf(undefined, query)).toBeNull();
  }
});

test("a long row of spaces is refused in linear time", () => {
  expect(tokenOf(`Bearer a${" ".repeat(60_000)}b`)).toBeUndefined();
});
