/** The code of core's README and of the client's pages that is measured: the figures are about what they show. */
import { blocks, readmeAndPages } from '../../support/documentation.ts';

const snippets = blocks(readmeAndPages('packages/core/README.md', 'client'), 'ts');

/** The first snippet that contains this text. */
export function snippetWith(part: string): string {
  const found = snippets.find((code) => code.includes(part));
  if (found === undefined)
    throw new Error(`No snippet of packages/core/README.md or of the client's pages contains ${part}`);
  return found;
}

/** A call of the README's first snippet, such as `client.subscriptions.create({ … })`, as a function of the client. */
export async function callOf<Client>(method: string): Promise<(client: Client) => Promise<unknown>> {
  const [call] =
    new RegExp(`${method.replaceAll('.', '\\.')}\\(\\{.*?\\}\\)(?=;)`, 's').exec(snippetWith(`${method}({`)) ?? [];
  if (call === undefined)
    throw new Error(`No snippet of packages/core/README.md or of the client's pages calls ${method}.`);
  const module: unknown = await import(
    `data:text/javascript,${encodeURIComponent(`export default (client) => ${call}`)}`
  );
  return (module as { default: (client: Client) => Promise<unknown> }).default;
}
