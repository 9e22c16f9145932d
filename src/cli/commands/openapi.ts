import { describeApi } from "../../web/api/v1/openapi.ts";
import { buildInfo } from "../../platform/lib/build-info.ts";
import { defaultConfig } from "../../sandbox/settings.ts";
import { command } from "../terminal/command.ts";
import { serverUrl } from "../terminal/flags.ts";

export const openapiCommand = command({
  name: "openapi",
  flags: { url: serverUrl("--url <url>") },
  run({ options: { url }, terminal: { out } }) {
    const { api, server } = defaultConfig();
    const document = describeApi({ publicUrl: url ?? server.publicUrl, version: buildInfo.version, ...api });
    out.write(`${JSON.stringify(document, null, 2)}\n`);
  },
});
