import { expect, test } from "bun:test";
import { openConsoleApp } from "../../support/console.ts";

test("style sheet and script are sent compressed to clients that accept it, and can be cached", async () => {
  const app = openConsoleApp();
  const { html } = await app.visitor().get("/console/sign-in");
  const paths = [...html.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+\.(?:css|js))"/g)].map(
    ([, path]) => path!,
  );
  expect(paths).toHaveLength(2);
  for (const path of paths) {
    const load = (encoding: string) =>
      fetch(`${app.url}${path}`, { headers: { "accept-encoding": encoding }, decompress: false });
    const plain = await load("identity");
    expect(plain.headers.get("content-encoding")).toBeNull();
    const text = await plain.text();
    for (const encoding of ["gzip", "br, gzip;q=0.5"]) {
      const compressed = await load(encoding);
      expect(compressed.headers.get("content-encoding")).toBe("gzip");
      expect(compressed.headers.get("vary")).toBe("accept-encoding");
      expect(new TextDecoder().decode(Bun.gunzipSync(await compressed.bytes()))).toBe(text);
    }
    expect((await load("br, gzip;q=0")).headers.get("content-encoding")).toBeNull();
  }
  await app.dispose();
});
