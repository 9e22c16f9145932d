import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import tls from "node:tls";
import {
  makeSecret,
  secretProblem,
  signatureHeaders,
} from "../../../src/messaging/channels/webhook/signing.ts";
import { fillRandom } from "../../support/appliance.ts";

const body = Buffer.from('{"test": 2432232314}');
const sentAt = 1_614_265_330_456;
const eventId = "msg_p5jXN8AQM9LWM0D4loKWxJek";

describe("signatures", () => {
  test("webhook-signature matches the test vector of the Standard Webhooks libraries", () => {
    const headers = signatureHeaders({
      eventId,
      body,
      secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
      sentAt,
    });
    expect(headers["webhook-id"]).toBe(eventId);
    expect(headers["webhook-timestamp"]).toBe("1614265330");
    expect(headers["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  test("X-Service-Signature matches RFC 4231, test case 2, with the whole secret as the key", () => {
    const headers = signatureHeaders({
      eventId,
      body: Buffer.from("what do ya want for nothing?"),
      secrets: ["Jefe"],
      sentAt,
    });
    expect(headers["X-Service-Signature"]).toBe(
      "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
  });

  test("every active secret signs webhook-signature, and the current one signs X-Service-Signature", () => {
    const [first, second] = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "another secret of 16"];
    const both = signatureHeaders({ eventId, body, secrets: [first, second], sentAt });
    const one = (secret: string) => signatureHeaders({ eventId, body, secrets: [secret], sentAt });
    expect(both["webhook-signature"]).toBe(
      `${one(first)["webhook-signature"]} ${one(second)["webhook-signature"]}`,
    );
    expect(both["X-Service-Signature"]).toBe(one(first)["X-Service-Signature"]!);
    expect(one(first)["X-Service-Signature"]).not.toBe(one(second)["X-Service-Signature"]);
  });

  test.each([
    ["whsec_AAAA", "AAAA"],
    ["whsec_AAA=", "AAA="],
    ["whsec_AA==", "AA=="],
  ])("the key of webhook-signature is the decoded base64 of %s", (secret, base64) => {
    const mac = createHmac("sha256", Buffer.from(base64, "base64"));
    const expected = mac.update(`${eventId}.1614265330.`).update(body).digest("base64");
    expect(signatureHeaders({ eventId, body, secrets: [secret], sentAt })["webhook-signature"]).toBe(
      `v1,${expected}`,
    );
  });

  test.each(["whsec_", "whsec_AAA", "whsec_A===", "whsec_AA-_", "AAAA", "correct horse battery"])(
    "the key of webhook-signature is the bytes of %s, which is not base64 after whsec_",
    (secret) => {
      const mac = createHmac("sha256", secret);
      const expected = mac.update(`${eventId}.1614265330.`).update(body).digest("base64");
      expect(signatureHeaders({ eventId, body, secrets: [secret], sentAt })["webhook-signature"]).toBe(
        `v1,${expected}`,
      );
    },
  );
});

test("signing works after a certificate could not be parsed", () => {
  expect(() => tls.createSecureContext({ cert: "none", key: "none" })).toThrow();
  expect(() => signatureHeaders({ eventId, body, secrets: ["Jefe"], sentAt })).not.toThrow();
});

describe("secrets", () => {
  test("generated secrets are whsec_ and 32 random bytes in base64", () => {
    const secrets = Array.from({ length: 50 }, () => makeSecret(fillRandom));
    expect(new Set(secrets).size).toBe(50);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(secretProblem(secret)).toBeUndefined();
    }
  });

  test.each([
    ["fifteen charact"],
    ["with a space in it"],
    ["kein Geheimnis: ä, 16"],
    ["x".repeat(201)],
    [""],
  ])("the secret %p is rejected", (secret) => expect(secretProblem(secret)).toBeDefined());
});
