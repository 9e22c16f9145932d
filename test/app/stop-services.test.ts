import { expect, test } from "bun:test";
import { stopServices } from "../../src/app/stop-services.ts";

test("a service that fails to stop keeps none of the others from stopping, and its error is thrown at the end", async () => {
  const stopped: string[] = [];
  const service = (name: string) => ({ stop: () => Promise.resolve().then(() => void stopped.push(name)) });
  const failing = {
    stop() {
      throw new Error("the disk is full");
    },
  };
  const stopping = stopServices([
    [failing, service("first"), undefined],
    [service("second"), { stop: () => Promise.reject(new Error("the file is gone")) }],
    [service("third")],
  ]);
  await expect(stopping).rejects.toThrow("the disk is full; the file is gone");
  expect(stopped).toEqual(["first", "second", "third"]);
  await expect(stopServices([[failing], [service("fourth")]])).rejects.toThrow(/^the disk is full$/);
  expect(stopped.at(-1)).toBe("fourth");
});
