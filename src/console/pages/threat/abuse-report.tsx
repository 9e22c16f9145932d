import { abuseReport, mailtoAddress } from "../../../evidence/abuse-report.ts";
import { Copyable } from "../../kit/components.tsx";
import { Text } from "../../kit/name.tsx";

/** Recipient and ready-to-send text of an abuse report. */
export function AbuseReport(known: Parameters<typeof abuseReport>[0]) {
  const report = abuseReport(known);
  const mailto = mailtoAddress(report);
  return (
    <>
      {report.to === undefined ? (
        <p>No abuse contact is known.</p>
      ) : (
        <p>
          Send it to the abuse desk of <Text text={report.to.who} />:
        </p>
      )}
      {report.to === undefined ? null : <Copyable text={report.to.email} label="the address" />}
      {report.otherWays.length === 0 ? null : (
        <ul class="hint">
          {report.otherWays.map((way) => (
            <li>
              <Text text={way} charactersMax={500} />
            </li>
          ))}
        </ul>
      )}
      <Copyable text={report.subject} label="the subject" />
      <Copyable text={report.body} label="the report" />
      {mailto === undefined ? null : (
        <p class="line">
          <a class="btn" href={mailto.address}>
            Open in mail program
          </a>
          <span class="hint">
            {mailto.withBody
              ? "Address, subject, and text are filled in."
              : "Address and subject are filled in. Copy the text and paste it there."}
          </span>
        </p>
      )}
    </>
  );
}
