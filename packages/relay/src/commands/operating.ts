/** The commands of an operator: a table, each entry a few lines over what an {@link Operator} can do. */
import { once } from 'node:events';
import process from 'node:process';
import type { Status } from '../ops/operator.ts';
import { everySignup } from '../store/every-signup.ts';
import type { StoredSignup } from '../store/signup-store.ts';
import { checkCommand } from './check.ts';
import { UsageError, type Command, type Given } from './command.ts';
import { filterOptions, givenFilter } from './filter-options.ts';
import { moveCommand } from './move.ts';
import { withOperator } from './with-operator.ts';

const json = { about: 'Print JSON, for programs' } as const;

/** Those that look at or change what is kept, by name. */
export const operatingCommands: Readonly<Record<string, Command>> = {
  status: {
    about: 'how many signups wait, since when, and why',
    options: { json },
    run: ({ switches }) =>
      withOperator(async (operator) => {
        const status = await operator.status();
        print(switches.has('json') ? JSON.stringify(status, null, 2) : statusLines(status).join('\n'));
      }),
  },
  pause: {
    about: 'stop delivering; signups are still taken and kept. Lasts until resume, also over restarts',
    run: () =>
      withOperator(async (operator) => {
        await operator.setPaused(true);
        print('Delivery is paused. Signups are taken and wait.');
      }),
  },
  resume: {
    about: 'deliver again',
    run: () =>
      withOperator(async (operator) => {
        await operator.setPaused(false);
        print('Delivery goes on.');
      }),
  },
  dead: {
    about: 'list what the API refused for good, with the reasons; or another state, such as --state review',
    options: { ...filterOptions, json },
    run: (given) => {
      const filter = givenFilter(given, { state: 'dead' });
      return withOperator(async (operator) => {
        let count = 0;
        for await (const signup of everySignup(operator, filter)) {
          count += 1;
          await write(given.switches.has('json') ? `${JSON.stringify(signup)}\n` : `${signupLine(signup)}\n`);
        }
        if (!given.switches.has('json'))
          print(count === 0 ? 'None.' : `${count} in all. "newsletter-relay redrive" puts them back in line.`);
      });
    },
  },
  redrive: {
    about: 'put dead or reviewed signups back in line; say which, or --all',
    options: { ...filterOptions, all: { about: 'Every dead letter' }, 'dry-run': { about: 'Only count them' } },
    run: (given) => {
      if (Object.keys(given.values).length === 0 && !given.switches.has('all')) {
        throw new UsageError(
          'Say which: for example --reason "custom field", --since 2h, --id ID, or --all for every dead letter.',
        );
      }
      const filter = givenFilter(given, { state: 'dead' });
      return withOperator(async (operator) => {
        if (!given.switches.has('dry-run')) return print(`${await operator.redrive(filter)} put back in line.`);
        let count = 0;
        for await (const { state } of everySignup(operator, filter))
          if (state === 'dead' || state === 'review') count += 1;
        print(`${count} would be put back in line.`);
      });
    },
  },
  export: {
    about: 'write everything that is kept to standard output, one JSON object a line',
    options: filterOptions,
    run: (given) => {
      const filter = givenFilter(given);
      return withOperator(async (operator) => {
        for await (const signup of everySignup(operator, filter)) await write(`${JSON.stringify(signup)}\n`);
      });
    },
  },
  erase: {
    about: 'delete everything kept about an address, at once',
    takes: 'ADDRESS',
    run: (given) => {
      const address = onlyWord(given, 'the address to erase');
      return withOperator(async (operator) => {
        const count = await operator.erase(address);
        print(
          count === 0
            ? 'Nothing was kept about this address.'
            : `Erased: ${count} ${count === 1 ? 'signup' : 'signups'}. What the newsletter service has of it is not ours to erase.`,
        );
      });
    },
  },
  check: checkCommand,
  move: moveCommand,
};

function onlyWord({ words }: Given, what: string): string {
  const [word] = words;
  if (word === undefined || words.length > 1) throw new UsageError(`Give ${what}, and nothing else.`);
  return word;
}

/** For a person; figures in one column. */
function statusLines({ counts, due, oldestWaitingSince, paused, deadByReason, shared, running }: Status): string[] {
  const unasked = shared
    ? 'by the relays that share the store; the page of each says how it fares'
    : 'no relay is running here';
  const age = oldestWaitingSince === null ? '' : `, the oldest since ${new Date(oldestWaitingSince).toISOString()}`;
  return [
    `Delivery   ${paused ? 'paused' : (running?.trouble ?? (running ? 'running' : unasked))}`,
    ...(running?.storeTrouble ? [`Store      ${running.storeTrouble}`] : []),
    `Waiting    ${counts.waiting}${counts.waiting > 0 ? ` (${due} due now${age})` : ''}`,
    `Delivered  ${counts.delivered}`,
    `Review     ${counts.review}`,
    `Dead       ${counts.dead}`,
    ...deadByReason.map(({ reason, count }) => `  ${String(count).padStart(6)}  ${reason}`),
  ];
}

function signupLine({ id, form, state, submission, receivedAt, attempts, reason }: StoredSignup): string {
  return [
    id,
    new Date(receivedAt).toISOString(),
    state,
    form,
    submission?.email ?? '(erased)',
    `${attempts}×`,
    reason ?? '',
  ]
    .join('  ')
    .trimEnd();
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Waits where the reader is slower than the store. */
async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
