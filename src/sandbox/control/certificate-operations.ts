import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { and, eq } from "drizzle-orm";
import type { App } from "../../app/app.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import { jsonFields } from "../../platform/lib/key-names.ts";
import { badRequest } from "../../platform/lib/errors.ts";
import { threatCertificates, threats } from "../../threats/threats/store/tables.ts";
import type { LoggedCertificate } from "../log/entry.ts";
import { describeThreat, nameOf, newNames } from "./lookalikes.ts";
import { bodyOf, operation, optionalText, readDuration, readTime, returns } from "./operation.ts";
import { certificate } from "./schemas.ts";

const namesMax = 100;
const certificatesMax = 10_000;
const issuerDefault = "Sandbox CA";
const serialBytes = 16;

/** Operations of the sandbox's certificate log. */
export const certificateOperations = [
  operation({
    method: "POST",
    path: "/sandbox/certificates",
    id: "logCertificate",
    summary: "Logs a certificate: threat.created for each look-alike among its names",
    description:
      "The certificate is logged in the sandbox's own certificate log, which the production code reads and verifies. " +
      "With a delay, the log gets it when the sandbox's clock reaches that time.",
    body: bodyOf({
      names: Type.Optional(
        Type.Array(Type.String({ maxLength: 300 }), {
          minItems: 1,
          maxItems: namesMax,
          description: "DNS names, also with a wildcard; default: a new look-alike",
        }),
      ),
      issuer: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: `common name; default: ${issuerDefault}`,
        }),
      ),
      not_before: optionalText("an ISO 8601 time; default: the time of the request"),
      delay: optionalText("time until the log gets it, such as 10m; default: none"),
    }),
    response: returns("The certificate", certificate),
    async run(state, { body }) {
      const instance = state.instance();
      const { app, clock } = instance;
      const certificates = await instance.certificates();
      const { log } = certificates;
      const number = log.certificates().length;
      if (number >= certificatesMax)
        throw badRequest(`The sandbox's log holds ${certificatesMax} certificates. Reset the sandbox.`);
      const now = clock.now();
      const logged: LoggedCertificate = {
        names: body.names?.map(certificateName) ?? [newNames(app, 1, {})[0]!.domain],
        issuer: body.issuer ?? issuerDefault,
        serial: serialOf(number),
        notBefore: body.not_before === undefined ? now : readTime("not_before", body.not_before),
        loggedAt: body.delay === undefined ? now : now + readDuration("delay", body.delay),
      };
      await certificates.add(logged);
      const index = log.indexOf(logged) ?? null;
      return {
        data: {
          ...jsonFields(logged, "names issuer serial"),
          not_before: toIsoTime(logged.notBefore),
          logged_at: toIsoTime(logged.loggedAt),
          index,
          threats: index === null ? [] : threatsWith(app, { log: log.log.description, index }),
        },
      };
    },
  }),
];

function certificateName(given: string): string {
  const bare = given.trim();
  return bare.startsWith("*.") ? `*.${nameOf(bare.slice(2))}` : nameOf(bare);
}

/** A positive number that looks like a serial number, the same one in the same state. */
function serialOf(number: number): string {
  const digest = createHash("sha256").update(`sandbox certificate ${number}`).digest();
  digest[0] = (digest[0]! & 0x7f) | 0x40;
  return digest.toString("hex", 0, serialBytes);
}

function threatsWith(app: App, { log, index }: { log: string; index: number }) {
  return app.database.query
    .select({ id: threats.id })
    .from(threatCertificates)
    .innerJoin(threats, eq(threats.seq, threatCertificates.threatSeq))
    .where(and(eq(threatCertificates.log, log), eq(threatCertificates.index, index)))
    .all()
    .map(({ id }) => describeThreat(app, id));
}
