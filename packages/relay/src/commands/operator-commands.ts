/** The operator's commands: each parses its options, calls an {@link Operator} and prints the result. */
import { type Command, Option } from '@commander-js/extra-typings';
import { UsageError } from '#command-line';
import { consentFacts, type Fact, mailsLine, signupFacts, statusWords, wordsOfKind } from '../ops/audit-facts.ts';
import type { Operator, Status } from '../ops/operator.ts';
import { filterParts, readFilter } from '../ops/signup-filter.ts';
import {
  type ConsentRecord,
  discardableStates,
  isRedrivable,
  type HeldAboutPerson,
  type SignupFilter,
  type StoredSignup,
} from '../store/signup-store.ts';
import { everySignup, everySuppression, exportLines } from '../store/transfer.ts';
import { StartupError } from '../errors.ts';
import { withOperator } from './with-operator.ts';
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import process from 'node:process';

const nothingHeld = 'Nothing is held about this address.';

const jsonOption = () => new Option('--json', 'print JSON, for programs');

/** A command that runs with an operator, without arguments of its own. */
const plainly = (work: (operator: Operator) => Promise<void>) => (command: Command) =>
  command.action(() => withOperator(command, work));

export const status = (command: Command) =>
  command.addOption(jsonOption()).action(({ json }) =>
    withOperator(command, async (operator) => {
      const current = await operator.status();
      // Loaded only where there are webhooks.
      const webhookLines = current.webhooks.length > 0 ? (await import('./webhooks.ts')).backlogLines : () => [];
      print(json ? JSON.stringify(current, null, 2) : statusLines(current, webhookLines).join('\n'));
    }),
  );

export const pause = plainly(async (operator) => {
  await operator.setPaused(true);
  print('Delivery is paused. Signups are still accepted, and wait.');
});

export const resume = plainly(async (operator) => {
  await operator.setPaused(false);
  print('Delivery is resumed.');
});

export const dead = (command: Command) =>
  withFilter(command)
    .addOption(jsonOption())
    .action((options) => {
      const filter = filterFrom(options, { state: 'dead' });
      return withOperator(command, async (operator) => {
        let count = 0;
        for await (const signup of everySignup(operator, filter)) {
          count += 1;
          await write(options.json ? `${JSON.stringify(signup)}\n` : `${signupLine(signup)}\n`);
        }
        if (!options.json)
          print(
            count === 0 ? 'None.' : `Signups: ${count}. "newsletter-relay redrive" queues them for delivery again.`,
          );
      });
    });

export const redrive = (command: Command) =>
  withSelection(command).action((options) => {
    const filter = selectionFrom(options);
    return withOperator(command, async (operator) => {
      if (!options.dryRun) return print(`${await operator.redrive(filter)} queued again.`);
      print(`${await countOf(operator, filter, isRedrivable)} would be queued again.`);
    });
  });

export const discard = (command: Command) =>
  withSelection(command).action((options) => {
    const filter = selectionFrom(options);
    const other = filter.states?.find((state) => !discardableStates.includes(state));
    if (other !== undefined)
      throw new UsageError(`A signup that is ${other} cannot be discarded, only ${discardableStates.join(', ')}.`);
    return withOperator(command, async (operator) => {
      if (!options.dryRun) return print(`${await operator.discard(filter)} deleted.`);
      print(`${await countOf(operator, filter, ({ state }) => discardableStates.includes(state))} would be deleted.`);
    });
  });

export const exportSignups = (command: Command) =>
  withFilter(command).action((options) => {
    const filter = filterFrom(options);
    return withOperator(command, async (operator) => {
      for await (const line of exportLines(operator, filter)) await write(`${line}\n`);
    });
  });

export const suppressions = (command: Command) =>
  command.argument('<file>', 'the file to write, readable by you alone; it must not exist').action((path) =>
    withOperator(command, async (operator) => {
      const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
        const remedy = 'name a file that does not exist, in a folder that does';
        throw new StartupError(`${path} cannot be created: ${remedy}.`, { cause });
      });
      let count = 0;
      try {
        await file.write('sha256\n');
        for await (const hash of everySuppression(operator)) {
          await file.write(`${hash}\n`);
          count += 1;
        }
      } catch (error) {
        // An incomplete list would let people in.
        await rm(path, { force: true });
        throw error;
      } finally {
        await file.close();
      }
      print(`${count} erased ${count === 1 ? 'person' : 'people'}: "newsletter import --suppress" leaves them out.`);
    }),
  );

export const person = (command: Command) =>
  command
    .argument('<address>', 'the address of the person')
    .addOption(jsonOption())
    .action((address, { json }) =>
      withOperator(command, async (operator) => {
        const data = await operator.person(address);
        print(json ? JSON.stringify(data, null, 2) : personLines(data).join('\n'));
      }),
    );

export const erase = (command: Command) =>
  command
    .argument('<address>', 'the address to erase')
    .option('--keep-consent', 'keep the entries of the consent ledger, which hold no address')
    .action((address, { keepConsent = false }) =>
      withOperator(command, async (operator) => {
        const { signups, consents } = await operator.erase(address, { keepConsent });
        const erased =
          signups + consents === 0
            ? nothingHeld
            : `Erased: ${counted(signups, consents)}. Data that the newsletter service holds about the address is not erased.`;
        print(`${erased} A hash of the address stays, for newsletter-relay suppressions.`);
      }),
    );

/** Placeholder of each part of a filter in the help. */
const valueNames: Readonly<Record<(typeof filterParts)[number]['name'], string>> = {
  state: 'states',
  form: 'name',
  email: 'address',
  reason: 'words',
  since: 'when',
  until: 'when',
  id: 'ids',
};

/** The parts of a filter, as texts by name. */
type FilterOptions = Readonly<Record<string, string | boolean | undefined>>;

/** Adds one option per part of a filter. */
function withFilter(command: Command) {
  for (const { name, about } of filterParts) command.option(`--${name} <${valueNames[name]}>`, about);
  return command;
}

/** Adds the options of a command that changes the signups it selects. */
function withSelection(command: Command) {
  return withFilter(command).option('--all', 'every dead letter').option('--dry-run', 'only count them');
}

/**
 * @param fallback - parts that hold where the options give none
 * @throws UsageError that names every problem
 */
function filterFrom(options: FilterOptions, fallback: Readonly<Record<string, string>> = {}): SignupFilter {
  const result = readFilter({ ...fallback, ...filterTexts(options) }, Date.now());
  if (!result.ok) throw new UsageError(`${result.errors.join('; ')}.`);
  return result.filter;
}

function filterTexts(options: FilterOptions): Readonly<Record<string, string>> {
  return Object.fromEntries(
    filterParts.flatMap(({ name }) => {
      const value = options[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
}

/** The filter of a command that changes the signups it selects; dead letters, where no state is given. */
function selectionFrom(options: FilterOptions & { readonly all?: true | undefined }): SignupFilter {
  if (Object.keys(filterTexts(options)).length === 0 && !options.all) {
    throw new UsageError(
      'Select signups: for example --reason "custom field", --since 2h, --id ID, or --all for every dead letter.',
    );
  }
  return filterFrom(options, { state: 'dead' });
}

async function countOf(
  operator: Operator,
  filter: SignupFilter,
  isMeant: (signup: StoredSignup) => boolean,
): Promise<number> {
  let count = 0;
  for await (const signup of everySignup(operator, filter)) if (isMeant(signup)) count += 1;
  return count;
}

/** The status; figures in one column. */
function statusLines(status: Status, webhookLines: (webhooks: Status['webhooks']) => readonly string[]): string[] {
  const { counts, due, oldestWaitingSince, forms, paused, deadByReason, held, statuses, shared, webhooks } = status;
  const { running, lastErasureAt } = status;
  const unknownDelivery = shared
    ? 'by the relays that share the store; see the operator page of each'
    : 'no relay is running here';
  const since = (moment: number | null): string =>
    moment === null ? '' : `, the oldest since ${new Date(moment).toISOString()}`;
  const open = counts.waiting + counts.sent;
  return [
    `Delivery     ${paused ? 'paused' : (running?.trouble ?? (running ? 'running' : unknownDelivery))}`,
    ...(running?.storeTrouble ? [`Store        ${running.storeTrouble}`] : []),
    ...(running?.longReader ? [`Store        ${running.longReader}`] : []),
    ...(running?.unclearConsents ? [`Consent      ${running.unclearConsents}`] : []),
    ...(running?.refusedOrigins ? [`Websites     ${running.refusedOrigins}`] : []),
    `Waiting      ${counts.waiting}${open > 0 ? ` (${due} due now${since(oldestWaitingSince)})` : ''}`,
    `Sent         ${counts.sent}`,
    ...forms.map(({ form, open: count, oldestSince }) => `${figure(count)}  form ${form}${since(oldestSince)}`),
    `Delivered    ${counts.delivered}${statuses.length > 0 ? '; of the newest signups the API says:' : ''}`,
    ...statuses.map(({ status: word, count }) => `${figure(count)}  ${statusWords(word)}`),
    `Unconfirmed  ${counts.unconfirmed}`,
    ...reasonLines(held.filter(({ state }) => state === 'unconfirmed')),
    `Review       ${counts.review}`,
    ...reasonLines(held.filter(({ state }) => state === 'review')),
    `Dead         ${counts.dead}`,
    ...reasonLines(deadByReason),
    `Erased       ${lastErasureAt === null ? 'nothing yet' : `what had expired by ${new Date(lastErasureAt).toISOString()}`}`,
    ...webhookLines(webhooks).map((line) => `Webhooks     ${line}`),
  ];
}

function reasonLines(reasons: Status['deadByReason']): string[] {
  return reasons.map(({ reason, count }) => `${figure(count)}  ${reason}`);
}

function figure(count: number): string {
  return `  ${String(count).padStart(6)}`;
}

/** Everything held about a person. */
function personLines({ signups, consents, mails, suppressed }: HeldAboutPerson): string[] {
  const listed = [
    ...(suppressed ? ['The hash of the address is in the list of erased people.'] : []),
    ...mails.map((record) => `${mailsLine(record)}.`),
  ];
  if (signups.length + consents.length === 0) return listed.length > 0 ? listed : [nothingHeld];
  return [
    `Held: ${counted(signups.length, consents.length)}.`,
    ...listed,
    ...signups.flatMap((signup) => ['', ...signupLines(signup)]),
    ...consents.flatMap((entry) => ['', ...consentLines(entry)]),
  ];
}

function signupLines(signup: StoredSignup): string[] {
  const { id, state, receivedAt } = signup;
  return [`Signup of ${new Date(receivedAt).toISOString()}`, ...indented({ id, state }, signupFacts(signup))];
}

function consentLines(entry: ConsentRecord): string[] {
  const { signup, kind, at } = entry;
  const first = { consent: wordsOfKind[kind], signup };
  return [`Consent of ${new Date(at).toISOString()}`, ...indented(first, consentFacts(entry))];
}

/** One line for each fact that is known. */
function indented(first: Readonly<Record<string, string>>, facts: readonly Fact[]): string[] {
  return [...Object.entries(first), ...facts].flatMap(([name, value]) => {
    const text = value instanceof Date ? value.toISOString() : value;
    return text === null ? [] : [`  ${`${name}:`.padEnd(16)} ${text}`];
  });
}

function counted(signups: number, consents: number): string {
  return `${signups} ${signups === 1 ? 'signup' : 'signups'} and ${consents} ${consents === 1 ? 'entry' : 'entries'} of the consent ledger`;
}

/** A signup in one line. */
function signupLine({ id, form, state, submission, receivedAt, attempts, reason }: StoredSignup): string {
  const received = new Date(receivedAt).toISOString();
  const email = submission?.email ?? '(erased)';
  return [id, received, state, form, email, `${attempts}×`, reason ?? ''].join('  ').trimEnd();
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes to stdout no faster than it is read. */
async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
