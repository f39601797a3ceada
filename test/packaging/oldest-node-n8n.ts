/**
 * A program for the Node that n8n may run on: loads the built n8n package and lets each of its nodes work once.
 * Arguments: the folder of the build, the address of a sandbox, an address to sign up, the files to load. Prints one
 * line of JSON.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import type { Bundle } from '../nodes/bundle.ts';
import { executeContext, itemlessContext, type Run } from '../nodes/context.ts';
import { hostSignup, loadSignupTrigger } from '../nodes/signupHost.ts';

/** What the program found. */
export interface Found {
  readonly node: string;
  /** The address of the subscription that the action node created. */
  readonly created: unknown;
  /** The addresses that the first poll reported after it had set its mark. */
  readonly polled: readonly unknown[];
  readonly signup: {
    readonly status: number;
    readonly started: readonly unknown[];
    readonly logged: readonly string[];
  };
}

const [folder = '', address = '', email = '', ...files] = process.argv.slice(2);
/** The nodes' credential names a base URL of its own; here it stands for the sandbox. */
const sandbox: Run['sandbox'] = {
  fetch: (input, init) => fetch(String(input).replace('http://sandbox.test', address), init),
};

const site = 'https://www.example.com';

const load = createRequire(join(folder, 'loader.cjs'));
for (const file of files) load(join(folder, file));
const make = <T>(name: string): T =>
  new (load(join(folder, `nodes/Newsletter/${name}.node.js`)) as Record<string, new () => T>)[name]!();

const trigger = make<Bundle['trigger']>('NewsletterTrigger');
const staticData = {};
const poll = async (): Promise<readonly unknown[]> => {
  const found = await trigger.poll.call(
    itemlessContext({ sandbox, staticData, parameters: { events: ['subscriptionCreated'], expand: [] } }),
  );
  return found?.flat().map(({ json }) => json['email']) ?? [];
};
await poll();

const parameters = { resource: 'subscription', operation: 'create', email, customFields: {}, additionalFields: {} };
const items = await make<Bundle['newsletter']>('Newsletter').execute.call(executeContext({ sandbox, parameters }));
const polled = await poll();

const host = await hostSignup(loadSignupTrigger(folder), { allowedOrigins: site });
const { status } = await fetch(host.endpoint, {
  method: 'POST',
  headers: { origin: site, 'content-type': 'application/json' },
  body: JSON.stringify({ email }),
});
const found: Found = {
  node: process.versions.node,
  created: items.flat()[0]?.json['email'],
  polled,
  signup: { status, started: host.started.map((item) => item['email']), logged: host.logged },
};
await host.close();
console.log(JSON.stringify(found));
