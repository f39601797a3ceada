/** The code of core's README that is measured: what it shows is what the figures are about. */
import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../../packages/core/README.md', import.meta.url), 'utf8');

/** The first snippet that contains this text. */
export function snippetWith(part: string): string {
  const snippets = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
  const found = snippets.find((code) => code.includes(part));
  if (found === undefined) throw new Error(`No snippet of packages/core/README.md contains ${part}`);
  return found;
}

/** A call of the README's first snippet, such as `client.subscriptions.create({ … })`, as a function of the client. */
export async function callOf<Client>(method: string): Promise<(client: Client) => Promise<unknown>> {
  const [call] =
    new RegExp(`${method.replaceAll('.', '\\.')}\\(\\{.*?\\}\\)(?=;)`, 's').exec(snippetWith(`${method}({`)) ?? [];
  if (call === undefined) throw new Error(`No snippet of packages/core/README.md calls ${method}.`);
  const module: unknown = await import(
    `data:text/javascript,${encodeURIComponent(`export default (client) => ${call}`)}`
  );
  return (module as { default: (client: Client) => Promise<unknown> }).default;
}
