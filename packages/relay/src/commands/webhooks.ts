/** `newsletter-relay webhooks`: shows the destinations of webhooks, resumes and redrives them, and sends a test. */
import { randomBytes, randomUUID } from 'node:crypto';
import process from 'node:process';
import { Argument, type Command } from '@commander-js/extra-typings';
import { UsageError } from '#command-line';
import { readDestination } from '../config/read.ts';
import type { Operator } from '../ops/operator.ts';
import { StartupError } from '../errors.ts';
import type { WebhookBacklog } from '../store/webhook-queue.ts';
import { sampleBody, webhookHeaders } from '../webhooks/message.ts';
import { createPost } from '../webhooks/post.ts';
import { attemptMs, explainError, explainStatus } from '../webhooks/queue.ts';
import { refuseRemote, withOperator } from './with-operator.ts';

const actions = ['list', 'resume', 'redrive', 'test', 'secret'] as const;

export function define(command: Command) {
  return command
    .addArgument(new Argument('[action]', 'what to do').choices(actions).default('list' as const))
    .argument('[target]', 'name of the destination to resume or redrive, or the URL to test')
    .option('--json', 'print JSON, for programs')
    .addHelpText(
      'after',
      `
Actions:
  list             print what waits for each destination, and why
  resume NAME      send everything that waits for a destination now, also if it was held after the answer 410
  redrive NAME     queue the webhooks again that were given up
  test URL         send a signed sample with the type webhook.test, and print the answer
  secret           print a new secret for RELAY_WEBHOOK_SECRET`,
    )
    .action(async (action, target, { json = false }) => {
      if (action === 'secret') return print(newSecret());
      if (action === 'test') {
        refuseRemote(command);
        return sendTest(needed(target, 'the URL to test, for example https://example.com/hooks/newsletter'));
      }
      const name = action === 'list' ? '' : needed(target, `the name of the destination to ${action}`);
      return withOperator(command, async (operator) => {
        if (action === 'list') return list(operator, json);
        if (action === 'resume') {
          if (!(await operator.resumeWebhooks(name))) throw await unknownDestination(operator, name);
          return print(`What waits for "${name}" is due now.`);
        }
        const count = await operator.redriveWebhooks(name);
        if (count === null) throw await unknownDestination(operator, name);
        return print(`${count} queued again.`);
      });
    });
}

async function list(operator: Operator, json: boolean): Promise<void> {
  const { webhooks } = await operator.status();
  if (json) return print(JSON.stringify(webhooks, null, 2));
  print(
    webhooks.length === 0 ? 'There is no destination: RELAY_WEBHOOK_URL names one.' : backlogLines(webhooks).join('\n'),
  );
}

/** What waits for each destination, in a line. */
export function backlogLines(webhooks: readonly WebhookBacklog[]): string[] {
  return webhooks.map((each) => `${each.destination}: ${backlogOf(each)}`);
}

function backlogOf({ waiting, oldestSince, dead, held, reason }: WebhookBacklog): string {
  const since = oldestSince === null ? '' : `, the oldest since ${new Date(oldestSince).toISOString()}`;
  const why = held === null ? (reason === null ? '' : `. ${reason}`) : `. Held: ${held}`;
  return `${waiting} waiting${since}, ${dead} dead${why}`;
}

/** The bytes are text, so that receivers whose HMAC takes a text as its key can use the secret too. */
function newSecret(): string {
  const text = randomBytes(24).toString('base64url');
  return `whsec_${Buffer.from(text).toString('base64')}`;
}

async function sendTest(url: string): Promise<void> {
  const { secrets, allowsPrivateNetwork } = readDestination(process.env, url);
  const body = JSON.stringify(sampleBody(Date.now()));
  const headers = webhookHeaders(randomUUID(), body, secrets, Date.now());
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(attemptMs);
  const answer = await createPost()({ url, headers, body, allowsPrivateNetwork, signal }).catch(explainError);
  const failure =
    'reason' in answer ? answer : answer.status < 200 || answer.status > 299 ? explainStatus(answer, Date.now()) : null;
  if (failure) throw new StartupError(failure.reason);
  const tookMs = Math.round(performance.now() - startedAt);
  print(`The receiver accepted the test webhook after ${tookMs} ms (webhook-id ${headers['webhook-id']}).`);
}

function needed(target: string | undefined, what: string): string {
  if (target === undefined) throw new UsageError(`Name ${what}.`);
  return target;
}

async function unknownDestination(operator: Operator, name: string): Promise<StartupError> {
  const names = (await operator.status()).webhooks.map(({ destination }) => destination);
  const known = names.length === 0 ? 'no destination is set' : `known are ${names.join(', ')}`;
  return new StartupError(`There is no destination "${name}": ${known}.`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
