/** `newsletter person` shows what the service knows of an address; `newsletter unsubscribe` ends its subscription. */
import type { Command } from '@commander-js/extra-typings';
import { isRecord, type Client, type Subscription } from '@newsletter-kit/core';
import { operation } from '@newsletter-kit/core/contract';
import { isUnsubscribed } from '@newsletter-kit/core/facts';
import { awaitUpdate, listCustomFields } from '@newsletter-kit/core/import';
import { addressKey, isAddress } from '@newsletter-kit/core/signup';
import { UsageError, quote } from '#command-line';
import { connectionOf, connectToPublication, withConnection, type ConnectionOptions } from '../connection.ts';
import { exitCodes, type Context, type ExitCode, type Session } from '../context.ts';
import { columnsOf } from './export/columns.ts';

interface PersonOptions {
  readonly connection: ConnectionOptions;
  readonly address: string;
}

export function define(command: Command, context: Context) {
  const isUnsubscribe = command.name() === 'unsubscribe';
  return withConnection(
    command.argument('<address>', 'the e-mail address'),
    isUnsubscribe
      ? 'It waits for the job of the service, and says the status that the service shows then. Exit code 66: the publication has no subscription with this address.'
      : 'Exit code 66: the publication has no subscription with this address.',
  ).action((address, _options, self) =>
    context.run(isUnsubscribe ? unsubscribe : person, { connection: connectionOf(self), address }),
  );
}

async function person({ connection, address }: PersonOptions, session: Session): Promise<ExitCode> {
  const { client } = await connectToPublication(connection, session);
  const { expand } = operation('subscriptions.list');
  const found = await find(client, address, session);
  if (!found) return nobody(session);
  const fields = await listCustomFields(client.engine, { call: { signal: session.interrupted } });
  const rows = columnsOf(
    expand,
    fields.map(({ display }) => display),
  ).map(({ heading, cell }) => [heading, cell(found)] as const);
  const filled = rows.filter(([, text]) => text !== '');
  const width = Math.max(...filled.map(([heading]) => heading.length)) + 2;
  session.report.result({
    type: 'person',
    text: filled.map(([heading, text]) => `${heading.padEnd(width)}${text}`).join('\n'),
    data: { ...found },
  });
  return exitCodes.done;
}

async function unsubscribe({ connection, address }: PersonOptions, session: Session): Promise<ExitCode> {
  const { client } = await connectToPublication(connection, session);
  const before = await find(client, address, session);
  if (!before) return nobody(session);
  if (!isUnsubscribed(before.status)) await endSubscription(client, before, session);
  const { status } = (await find(client, address, session)) ?? before;
  const isDone = isUnsubscribed(status);
  const then = isDone ? '' : ' It was asked to unsubscribe the person, and may still do so.';
  session.report.result({
    type: 'unsubscribed',
    text: `${before.id}: the service shows the status "${status}".${then}`,
    data: { id: before.id, status, before: before.status },
  });
  return isDone ? exitCodes.done : exitCodes.needsAttention;
}

/** @throws UpdatePendingError where the job does not end in time */
async function endSubscription(client: Client, { id, email }: Subscription, session: Session): Promise<void> {
  const change = { subscription_id: id, unsubscribe: true };
  await session.writing(
    async (signal) => {
      const { data } = await client.subscriptions.bulkUpdate({ subscriptions: [change] }, { signal });
      const job = isRecord(data) ? String(data['subscription_update_id']) : '';
      await awaitUpdate({ engine: client.engine, id: job, items: [{ ...change, email: email ?? undefined }], signal });
    },
    () =>
      'Interrupted. The service may have been asked already: the same command asks again, which changes nothing more.',
  );
}

/** The subscription of an address. @throws UsageError for what is no address */
async function find(client: Client, address: string, { interrupted }: Session): Promise<Subscription | undefined> {
  if (!isAddress(address)) throw new UsageError(`${quote(address)} is no e-mail address.`);
  const query = { email: address, limit: 100, expand: operation('subscriptions.list').expand };
  const { items } = await client.subscriptions.list(query, { signal: interrupted });
  return items.find(({ email }) => typeof email === 'string' && addressKey(email) === addressKey(address));
}

function nobody({ report }: Session): ExitCode {
  report.failure({ type: 'NotFound', message: 'The publication has no subscription with this address.' });
  return exitCodes.notFound;
}
