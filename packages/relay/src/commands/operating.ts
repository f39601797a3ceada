/** The commands of an operator: a table, each entry a few lines over what an {@link Operator} can do. */
import { once } from 'node:events';
import process from 'node:process';
import type { Operator, Status } from '../ops/operator.ts';
import { everySignup, exportLines } from '../store/transfer.ts';
import {
  discardableStates,
  type ConsentRecord,
  type HeldAboutPerson,
  type SignupFilter,
  type StoredSignup,
} from '../store/signup-store.ts';
import { checkCommand } from './check.ts';
import { UsageError, type Command, type Given } from './command.ts';
import { filterOptions, givenFilter } from './filter-options.ts';
import { importCommand } from './import.ts';
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
      const filter = whichOnes(given);
      return withOperator(async (operator) => {
        if (!given.switches.has('dry-run')) return print(`${await operator.redrive(filter)} put back in line.`);
        print(`${await countOf(operator, filter, ['dead', 'review'])} would be put back in line.`);
      });
    },
  },
  discard: {
    about: 'delete dead letters for good, or with --state those in review or unconfirmed; say which, or --all',
    options: { ...filterOptions, all: { about: 'Every dead letter' }, 'dry-run': { about: 'Only count them' } },
    run: (given) => {
      const filter = whichOnes(given);
      const other = filter.states?.find((state) => !discardableStates.some((each) => each === state));
      if (other !== undefined)
        throw new UsageError(`A signup that is ${other} cannot be discarded, only ${discardableStates.join(', ')}.`);
      return withOperator(async (operator) => {
        if (!given.switches.has('dry-run')) return print(`${await operator.discard(filter)} deleted.`);
        print(`${await countOf(operator, filter, discardableStates)} would be deleted.`);
      });
    },
  },
  export: {
    about: 'write signups and consent ledger to standard output, one JSON object a line; with a filter only signups',
    options: filterOptions,
    run: (given) => {
      const filter = givenFilter(given);
      return withOperator(async (operator) => {
        for await (const line of exportLines(operator, filter)) await write(`${line}\n`);
      });
    },
  },
  import: importCommand,
  person: {
    about: 'show everything that is held about a person; --json exports it',
    takes: 'ADDRESS',
    options: { json },
    run: (given) => {
      const address = onlyWord(given, 'the address of the person');
      return withOperator(async (operator) => {
        const held = await operator.person(address);
        print(given.switches.has('json') ? JSON.stringify(held, null, 2) : personLines(held).join('\n'));
      });
    },
  },
  erase: {
    about: 'delete everything held about a person, at once',
    takes: 'ADDRESS',
    options: { 'keep-consent': { about: 'Keep the entries of the consent ledger, which hold no address' } },
    run: (given) => {
      const address = onlyWord(given, 'the address to erase');
      const keepConsent = given.switches.has('keep-consent');
      return withOperator(async (operator) => {
        const { signups, consents } = await operator.erase(address, { keepConsent });
        print(
          signups + consents === 0
            ? nothingHeld
            : `Erased: ${counted(signups, consents)}. What the newsletter service has of it is not ours to erase.`,
        );
      });
    },
  },
  check: checkCommand,
};

const nothingHeld = 'Nothing is held about this address.';

/** The filter of a command that changes what it means; dead letters, where no state is given. @throws UsageError */
function whichOnes(given: Given): SignupFilter {
  if (Object.keys(given.values).length === 0 && !given.switches.has('all')) {
    throw new UsageError(
      'Say which: for example --reason "custom field", --since 2h, --id ID, or --all for every dead letter.',
    );
  }
  return givenFilter(given, { state: 'dead' });
}

async function countOf(
  operator: Operator,
  filter: SignupFilter,
  states: readonly StoredSignup['state'][],
): Promise<number> {
  let count = 0;
  for await (const { state } of everySignup(operator, filter)) if (states.includes(state)) count += 1;
  return count;
}

function onlyWord({ words }: Given, what: string): string {
  const [word] = words;
  if (word === undefined || words.length > 1) throw new UsageError(`Give ${what}, and nothing else.`);
  return word;
}

/** For a person; figures in one column. */
function statusLines({
  counts,
  due,
  oldestWaitingSince,
  forms,
  paused,
  deadByReason,
  shared,
  running,
}: Status): string[] {
  const unasked = shared
    ? 'by the relays that share the store; the page of each says how it fares'
    : 'no relay is running here';
  const since = (moment: number | null): string =>
    moment === null ? '' : `, the oldest since ${new Date(moment).toISOString()}`;
  const open = counts.waiting + counts.sent;
  return [
    `Delivery     ${paused ? 'paused' : (running?.trouble ?? (running ? 'running' : unasked))}`,
    ...(running?.storeTrouble ? [`Store        ${running.storeTrouble}`] : []),
    `Waiting      ${counts.waiting}${open > 0 ? ` (${due} due now${since(oldestWaitingSince)})` : ''}`,
    `Sent         ${counts.sent}`,
    ...forms.map(({ form, open: count, oldestSince }) => `${figure(count)}  form ${form}${since(oldestSince)}`),
    `Delivered    ${counts.delivered}`,
    `Unconfirmed  ${counts.unconfirmed}`,
    `Review       ${counts.review}`,
    `Dead         ${counts.dead}`,
    ...deadByReason.map(({ reason, count }) => `${figure(count)}  ${reason}`),
  ];
}

function figure(count: number): string {
  return `  ${String(count).padStart(6)}`;
}

/** Everything held about a person, for a person. */
function personLines({ signups, consents }: HeldAboutPerson): string[] {
  if (signups.length + consents.length === 0) return [nothingHeld];
  return [
    `Held: ${counted(signups.length, consents.length)}.`,
    ...signups.flatMap((signup) => ['', ...signupLines(signup)]),
    ...consents.flatMap((entry) => ['', ...consentLines(entry)]),
  ];
}

function signupLines({ id, form, state, submission, origin, receivedAt, settledAt, reason }: StoredSignup): string[] {
  const { custom_fields: fields = [], ...rest } = submission ?? {};
  return [
    `Signup of ${new Date(receivedAt).toISOString()}`,
    ...indented({
      id,
      state,
      form,
      site: origin,
      settled: settledAt === null ? null : new Date(settledAt).toISOString(),
      reason,
      ...rest,
      ...Object.fromEntries(fields.map(({ name, value }) => [`field ${name}`, String(value)])),
    }),
  ];
}

function consentLines({ signup, kind, at, form, sentence, version, page, visitor }: ConsentRecord): string[] {
  const how = kind === 'given' ? 'given with the form' : 'confirmed by the link in a mail';
  return [
    `Consent of ${new Date(at).toISOString()}`,
    ...indented({ consent: how, signup, form, sentence, version, page, visitor }),
  ];
}

/** What is known, a line each. */
function indented(facts: Readonly<Record<string, string | boolean | null>>): string[] {
  return Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `  ${`${name}:`.padEnd(16)} ${String(value)}`);
}

function counted(signups: number, consents: number): string {
  return `${signups} ${signups === 1 ? 'signup' : 'signups'} and ${consents} ${consents === 1 ? 'entry' : 'entries'} of the consent ledger`;
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
