import { abuseReport, mailtoAddress } from "../../../evidence/abuse-report.ts";
import { Copyable } from "../../kit/kit.tsx";
import { Text } from "../../kit/name.tsx";

/** Whom to write to, and a text that is ready to be sent. */
export function ReportOfAbuse(known: Parameters<typeof abuseReport>[0]) {
  const report = abuseReport(known);
  const mailto = mailtoAddress(report);
  return (
    <>
      {report.to === undefined ? (
        <p>No address to write to is known.</p>
      ) : (
        <p>
          Write to the abuse desk of <Text text={report.to.who} />:
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
        <p class="actions">
          <a class="button outline" href={mailto.address}>
            Open in your mail program
          </a>
          <span class="hint">
            {mailto.withBody
              ? "Address, subject and text are filled in."
              : "Address and subject are filled in; copy the text before and paste it there."}
          </span>
        </p>
      )}
    </>
  );
}
