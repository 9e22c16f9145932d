import { describe, expect, test } from "bun:test";
import { readDetails } from "../../../src/engines/certificate-transparency/entries/entry-scanner.ts";
import {
  createCertificateParts,
  readNames,
  type CertificateForm,
} from "../../../src/engines/certificate-transparency/entries/certificate-names.ts";
import { createDerElement } from "../../../src/engines/certificate-transparency/entries/der.ts";
import { createNameBuffer } from "../../../src/engines/certificate-transparency/entries/name-buffer.ts";
import { der, oid, sequence } from "../../support/certificates.ts";
import {
  alternativeNames,
  certificateDer,
  extension,
  tbsCertificate,
  type CertificateOptions,
} from "../../support/log-entries.ts";
import { randomFrom } from "../../../scripts/benchmarks/random.ts";

describe("the names of a certificate", () => {
  test("are those of its alternative names and of its common names", () => {
    const options = { names: ["a.example", "b.example"], commonNames: ["c.example"] };
    expect(namesOf(options)).toEqual(["a.example", "b.example", "c.example"]);
    expect(namesOf({ commonNames: ["only.example"] })).toEqual(["only.example"]);
    expect(namesOf({ names: ["alternative.example"] })).toEqual(["alternative.example"]);
    expect(namesOf({})).toEqual([]);
  });

  test("are the same in a certificate and in the TBSCertificate of its precertificate", () => {
    const options = { names: ["a.example", "*.b.example"], commonNames: ["c.example"] };
    expect(read(tbsCertificate(options), "tbs")).toEqual(read(certificateDer(options), "certificate"));
  });

  test("come from every common name, also if several are in one relative distinguished name", () => {
    const commonName = (text: string) => sequence(oid("550403"), der(0x13, Buffer.from(text)));
    const subject = sequence(
      der(0x31, sequence(oid("55040a"), der(0x0c, Buffer.from("organization.example")))),
      der(0x31, Buffer.concat([commonName("a.example"), commonName("b.example")])),
      der(0x31, commonName("c.example")),
    );
    const [before, after] = [tbsCertificate({}), certificateWithSubject(subject)];
    expect(read(before, "tbs").names).toEqual([]);
    expect(read(after, "tbs").names).toEqual(["a.example", "b.example", "c.example"]);
  });

  test("come from every extension of alternative names", () => {
    const extensions = [
      extension("551d0f", der(0x03, Uint8Array.of(7, 128))),
      alternativeNames(["second.example"]),
      sequence(
        oid("551d11"),
        der(0x01, Uint8Array.of(255)),
        der(0x04, sequence(dnsName("critical.example"))),
      ),
    ];
    expect(namesOf({ names: ["first.example"], extensions })).toEqual([
      "first.example",
      "second.example",
      "critical.example",
    ]);
  });

  test("leave out addresses, email addresses and URIs among the alternative names", () => {
    const alternatives = [
      der(0x87, Uint8Array.of(192, 0, 2, 1)),
      der(0x81, Buffer.from("mail@example.com")),
      der(0x86, Buffer.from("https://uri.example/")),
      der(0xa0, sequence(oid("2b060104018237140203"), der(0xa0, der(0x0c, Buffer.from("upn.example"))))),
    ];
    expect(read(tbsCertificate({ names: ["a.example"], alternatives }), "tbs")).toEqual({
      names: ["a.example"],
      invalid: 0,
      intact: true,
    });
  });

  test("contain each name once if it is repeated, with a wildcard, in upper case or as the common name", () => {
    expect(namesOf({ names: ["*.A.example", "a.Example", "b.example"], commonNames: ["a.example"] })).toEqual(
      ["a.example", "b.example"],
    );
  });

  /** Value of a dNSName, and the names that are expected. */
  const forms: [what: string, value: string | Uint8Array, names: string[]][] = [
    ["in upper case", "WWW.Example.COM", ["www.example.com"]],
    ["of a wildcard", "*.example.com", ["example.com"]],
    ["with a wildcard in another place", "a.*.example.com", ["example.com"]],
    ["with a partial wildcard", "w*.example.com", ["example.com"]],
    ["with a dot at its end", "example.com.", ["example.com"]],
    ["with dots at both ends and in the middle", "..a..example.com..", ["a.example.com"]],
    ["with white space around it", " \texample.com\r\n", ["example.com"]],
    ["with a scheme", "https://example.com", ["example.com"]],
    ["with a scheme, a port and a path", "HTTP://example.com:8443/login", ["example.com"]],
    ["with a path that ends in a name", "a.example/b.example", ["a.example"]],
    ["before a NUL, and after it", "a.example\0.b.example", ["b.example", "a.example"]],
    ["with a control character in a label", "a\x01b.c.example", ["c.example"]],
    ["with a space in a label", "a b.c.example", ["c.example"]],
    ["with an underscore", "_dmarc.a_b.example", ["_dmarc.a_b.example"]],
    ["with a hyphen at the ends of a label", "-a-.example", ["-a-.example"]],
    ["in A-labels", "xn--mnchen-3ya.example", ["xn--mnchen-3ya.example"]],
    [
      "in U-labels of UTF-8, also read as Latin-1",
      "münchen.example",
      ["xn--mnchen-3ya.example", "xn--mnchen-4vaa1056a.example"],
    ],
    ["in U-labels of Latin-1", Buffer.from("münchen.example", "latin1"), ["xn--mnchen-3ya.example"]],
    ["with full-width dots", "paypal。example", ["paypal.example"]],
    ["with an email address", "user@mail.example", ["mail.example"]],
    ["with a label of 64 characters", `${"a".repeat(64)}.b.example`, ["b.example"]],
    [
      "that is longer than 253 characters",
      `${"abcdefg.".repeat(32)}example`,
      ["abcdefg.".repeat(30) + "example"],
    ],
    ["with a label of 63 characters", `${"a".repeat(63)}.example`, [`${"a".repeat(63)}.example`]],
    ["with a numeric label", "1.2.example", ["1.2.example"]],
    ["whose last label starts with a digit", "a.4you", ["a.4you"]],
    ["that is an address", "192.0.2.1", []],
    ["that is a hexadecimal address", "0x7f.0x1", []],
    ["that is an IPv6 address", "2001:db8::1", []],
    ["that is a single label", "localhost", []],
    ["that is a wildcard alone", "*", []],
    ["that is a dot", ".", []],
    ["that is empty", "", []],
    ["of which nothing is valid", "\x01\x02.\x03", []],
    ["of 5,000 characters", `${"a.".repeat(2_500)}example`, []],
  ];
  for (const [what, value, expected] of forms) {
    test(`are read from a value ${what}, and do not prevent reading the others`, () => {
      const { names, invalid, intact } = read(
        tbsCertificate({ names: ["x.example", value, "y.example"] }),
        "tbs",
      );
      const others = names.filter((name) => name !== "x.example" && name !== "y.example");
      if (what.includes("also read as Latin-1")) expect(others).toContain(expected[0]!);
      else expect(others.sort()).toEqual(expected.toSorted());
      expect(names).toContain("x.example");
      expect(names.at(-1)).toBe("y.example");
      expect(intact).toBe(true);
      expect(invalid).toBe(expected.length === 0 ? 1 : 0);
    });
  }

  test("leave out common names with a space, which are those of people and companies", () => {
    expect(read(tbsCertificate({ commonNames: ["Example Inc. example.com", "Root CA"] }), "tbs")).toEqual({
      names: [],
      invalid: 0,
      intact: true,
    });
    expect(namesOf({ commonNames: [" example.com "] })).toEqual(["example.com"]);
  });

  test("are read from common names with two and four bytes for each character", () => {
    const wide = Buffer.from("wide.example", "utf16le").swap16();
    const wider = Buffer.concat(
      [..."wider.example"].map((letter) => Uint8Array.of(0, 0, 0, letter.charCodeAt(0))),
    );
    const subject = sequence(
      der(0x31, sequence(oid("550403"), der(0x1e, wide))),
      der(0x31, sequence(oid("550403"), der(0x1c, wider))),
      der(0x31, sequence(oid("550403"), der(0x1c, new Uint8Array(8).fill(255)))),
    );
    expect(read(certificateWithSubject(subject), "tbs").names).toEqual(["wide.example", "wider.example"]);
  });

  test("are limited to 10,000 for each certificate, and the rest is counted", () => {
    const names = Array.from({ length: 10_050 }, (_, index) => `n${index}.example`);
    const { names: found, invalid } = read(tbsCertificate({ names }), "tbs");
    expect(found).toEqual(names.slice(0, 10_000));
    expect(invalid).toBe(50);
  });

  test("are read from at most 1,000 odd values for each certificate, and from all ordinary ones", () => {
    const odd = Array.from({ length: 1_010 }, (_, index) => `w*.n${index}.example`);
    const { names, invalid } = read(tbsCertificate({ names: [...odd, "last.example"] }), "tbs");
    expect(names).toHaveLength(1_001);
    expect(names.at(-1)).toBe("last.example");
    expect(invalid).toBe(10);
  });

  test("are those that precede the break if a certificate is truncated, at every byte", () => {
    const names = ["a.example", "b.example", "c.example"];
    const whole = certificateDer({ names, commonNames: ["d.example"] });
    for (let length = 0; length < whole.length; length++) {
      const found = read(whole.subarray(0, length), "certificate");
      expect(found.intact).toBe(false);
      for (const name of found.names) expect([...names, "d.example"]).toContain(name);
    }
  });

  test("are read without an exception from 20,000 randomly corrupted certificates", () => {
    const seed = Number(process.env["SEED"] ?? Math.trunc(Date.now() / 1000));
    console.log(`seed of corrupted certificates: ${seed} (repeat with SEED=${seed})`);
    const { below } = randomFrom(seed);
    const options = { names: ["a.example", "münchen.example", "*.b.example"], commonNames: ["c.example"] };
    const originals = [certificateDer(options), tbsCertificate(options)];
    let intact = 0;
    for (let round = 0; round < 20_000; round++) {
      const bytes = Uint8Array.from(originals[round % 2]!);
      for (let change = 1 + below(4); change > 0; change--) bytes[below(bytes.length)] = below(256);
      const result = read(bytes, round % 2 === 0 ? "certificate" : "tbs");
      readDetails(bytes, { start: 0, end: bytes.length, form: round % 2 === 0 ? "certificate" : "tbs" });
      if (result.intact) intact++;
      for (const name of result.names) expect(name).toMatch(/^([a-z0-9_-]{1,63}\.)+[a-z0-9_-]{1,63}$/);
    }
    // Most changes hit the key, the signature or a letter of a name.
    expect(intact).toBeGreaterThan(1_000);
    expect(intact).toBeLessThan(20_000);
  });
});

describe("the details of a certificate", () => {
  const details = (options: CertificateOptions, form: CertificateForm = "tbs") => {
    const bytes = form === "tbs" ? tbsCertificate(options) : certificateDer(options);
    return readDetails(bytes, { start: 0, end: bytes.length, form });
  };

  test("are issuer, serial and start of validity, in both forms", () => {
    const options = { issuer: "R11", serial: "00c0ffee", notBefore: Date.UTC(2026, 2, 4, 5, 6, 7) };
    const expected = {
      issuer: "O=Test CA, CN=R11",
      serial: "c0ffee",
      notBefore: Date.UTC(2026, 2, 4, 5, 6, 7),
    };
    expect(details(options, "tbs")).toEqual(expected);
    expect(details(options, "certificate")).toEqual(expected);
  });

  test("show where an attribute of the issuer ends", () => {
    expect(details({ issuer: "Evil, CN=R11\\" }).issuer).toBe("O=Test CA, CN=Evil\\, CN=R11\\\\");
  });

  test("have limits: an issuer of 500 characters and a serial of 64 bytes", () => {
    const { issuer, serial } = details({ issuer: "x".repeat(10_000), serial: "7f".repeat(500) });
    expect(issuer).toHaveLength(500);
    expect(serial).toBe("7f".repeat(64));
  });

  test("have no start of validity that is not a time", () => {
    const certificate = (text: string) => {
      const bytes = Buffer.from(tbsCertificate({ notBefore: Date.UTC(2026, 0, 2) }));
      bytes.write(text, bytes.indexOf("260102000000Z"), "latin1");
      return readDetails(bytes, { start: 0, end: bytes.length, form: "tbs" }).notBefore;
    };
    expect(certificate("260102000000Z")).toBe(Date.UTC(2026, 0, 2));
    for (const text of ["261302000000Z", "260132000000Z", "260102240000Z", "260102006000Z", "260102000099Z"])
      expect(certificate(text)).toBeNull();
  });

  test("are unknown in what is not a certificate", () => {
    const bytes = Buffer.from("<html>");
    expect(readDetails(bytes, { start: 0, end: bytes.length, form: "tbs" })).toEqual({
      issuer: "",
      serial: "",
      notBefore: null,
    });
  });
});

const dnsName = (name: string) => der(0x82, Buffer.from(name));

function read(bytes: Uint8Array, form: CertificateForm) {
  const buffer = createNameBuffer();
  buffer.startEntry(0);
  const range = { start: 0, end: bytes.length, form };
  const intact = readNames(createDerElement(bytes), createCertificateParts(), buffer, range);
  const names = Array.from({ length: buffer.count }, (_, i) =>
    Buffer.from(buffer.bytes.subarray(buffer.starts[i], buffer.ends[i])).toString("latin1"),
  );
  // The names are also one text with a line each.
  expect(Buffer.from(buffer.bytes.subarray(0, buffer.length)).toString()).toBe(
    names.map((n) => `${n}\n`).join(""),
  );
  return { names, invalid: buffer.invalid, intact };
}

function namesOf(options: CertificateOptions): string[] {
  const { names, intact } = read(certificateDer(options), "certificate");
  expect(intact).toBe(true);
  return names;
}

/** Returns a TBSCertificate of version 1 with this subject. */
function certificateWithSubject(subject: Uint8Array): Uint8Array {
  const nothing = sequence();
  return sequence(der(0x02, Uint8Array.of(1)), nothing, nothing, nothing, subject, nothing);
}
