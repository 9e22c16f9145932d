import { clients } from "../../web/api/clients/clients.ts";
import { command, UsageError } from "../terminal/command.ts";

const languages = clients.map(({ language }) => language);

export const clientCommand = command({
  name: "client",
  arguments: "<language>",
  argumentChoices: languages,
  summary: `print a client of the API in one file without dependencies: ${languages.join(", ")}`,
  flags: {},
  examples: [["phishwatch client typescript > phishwatch.ts", "write the client into your project"]],
  async run({ args: [given = ""], terminal: { out } }) {
    const client = clients.find(({ language }) => language === given);
    if (client === undefined)
      throw new UsageError(`the language must be ${languages.join(" or ")}, not "${given.slice(0, 50)}"`);
    out.write(client.text);
  },
});
