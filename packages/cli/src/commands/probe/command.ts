/** `newsletter probe`: compares the answers of a service with the contract. */
import type { Command } from '@commander-js/extra-typings';
import { connectionOf, withConnection } from '../../connection.ts';
import type { Context } from '../../context.ts';
import { probe } from './probe.ts';

export function define(command: Command, context: Context) {
  return withConnection(
    command.option(
      '--out <file>',
      'write the shapes of the answers to this file, for newsletter-sandbox and for a report',
    ),
    'It sends about 30 GET requests and changes nothing. What it prints holds no address, no key and no value of a subscriber. newsletter-sandbox --shape FILE, with the file of --out, starts a sandbox that answers as the service does.',
    '--out FILE writes shapes: for each field in how many records it was and of which types, besides statuses, names of headers and words of enumerations. Nothing is sent anywhere.',
    'Exit code 0: the client understands every answer, also where the service differs from the specification. 2: it does not understand some; they are marked "breaks".',
  ).action(({ out }, self) => context.run(probe, { connection: connectionOf(self), out }));
}
