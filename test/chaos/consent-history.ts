/**
 * Random histories of people who sign up and unsubscribe while the relay is killed and the API fails, in virtual time;
 * and what must hold in each of them.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { TransportError } from '@newsletter-kit/core/engine';
import {
  everySignup,
  readConfig,
  repeatWindowMs,
  type RelayConfig,
  type SignupStore,
  type StoredSignup,
} from '@newsletter-kit/relay';
import { apiKeys, createSandbox, publicationId, type Sandbox, type Seed } from '@newsletter-kit/sandbox';
import {
  inVirtualTime,
  startVirtualRelay,
  virtualSettings,
  type VirtualRelay,
  type VirtualRelayOptions,
} from '../clock/relay.ts';
import type { VirtualClock } from '../clock/virtual.ts';
import { seeded } from '../support/seeded.ts';

const otherPublication = 'pub_00000000-0000-4000-8000-000000000002';

/** Forms and the publications they sign up to: two of them share one. */
const forms = { default: publicationId, footer: publicationId, club: otherPublication } as const;
type FormName = keyof typeof forms;
const formNames = Object.keys(forms) as FormName[];

/** How one call to the API ends. */
const endings = [
  'ok',
  /** The connection is refused: the request did not arrive. */
  'refused',
  /** The connection breaks before the request has arrived. */
  'reset',
  /** The request is carried out and its answer lost. */
  'lost',
  /** 500, and nothing was done. */
  'failed',
  /** 500, though it was carried out. */
  'failedLate',
  'limited',
  /** 400 in the API's own words: the signup is refused for good. */
  'rejected',
] as const;
type Ending = (typeof endings)[number];

/** Endings after which the caller knows that nothing was done. */
const provablyNotDone: ReadonlySet<Ending> = new Set(['refused', 'limited', 'rejected']);

interface Signup {
  readonly person: number;
  readonly form: FormName;
  readonly content: number;
  /** Whether it comes with an idempotency key. */
  readonly key: boolean;
}

type Step =
  | { readonly what: 'signUp'; readonly signup: Signup }
  /** Several people sign up while the operator has paused delivery: they may go in bulk. */
  | { readonly what: 'rush'; readonly signups: readonly Signup[] }
  | { readonly what: 'unsubscribe'; readonly person: number; readonly form: FormName }
  /** How the next calls to the API end; with `kill`, the relay is killed when the call has arrived. */
  | { readonly what: 'calls'; readonly calls: readonly { readonly ending: Ending; readonly kill: boolean }[] }
  | { readonly what: 'kill' }
  | { readonly what: 'wait'; readonly ms: number };

/** One history. */
export interface History {
  readonly seed: number;
  readonly reactivate: boolean;
  /** Whether two waiting signups go in bulk. */
  readonly inBulk: boolean;
  readonly steps: readonly Step[];
}

const people = 3;
const person = fc.nat({ max: people - 1 });
const form = fc.constantFrom(...formNames);
const signup: fc.Arbitrary<Signup> = fc.record({ person, form, content: fc.nat({ max: 1 }), key: fc.boolean() });
const waits = [20, 200, 1_000, 3_000, 10_000, 60_000, 300_000, 700_000];

const stepOf = (longestWaitMs: number): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ what: fc.constant('signUp' as const), signup }) },
    {
      weight: 4,
      arbitrary: fc.record({
        what: fc.constant('rush' as const),
        signups: fc.array(signup, { minLength: 3, maxLength: 8 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ what: fc.constant('unsubscribe' as const), person, form }) },
    {
      weight: 5,
      arbitrary: fc.record({
        what: fc.constant('calls' as const),
        calls: fc.array(
          fc.record({
            ending: fc.oneof(
              { weight: 4, arbitrary: fc.constant('lost' as const) },
              { weight: 7, arbitrary: fc.constantFrom(...endings) },
            ),
            kill: fc.nat({ max: 5 }).map((n) => n === 5),
          }),
          { minLength: 1, maxLength: 4 },
        ),
      }),
    },
    { weight: 2, arbitrary: fc.constant({ what: 'kill' as const }) },
    {
      weight: 4,
      arbitrary: fc.record({
        what: fc.constant('wait' as const),
        ms: fc.constantFrom(...waits.filter((ms) => ms <= longestWaitMs)),
      }),
    },
  );

/** @param longestWaitMs - longest time in which nothing happens, of virtual milliseconds */
export const historyOf = (longestWaitMs: number): fc.Arbitrary<History> =>
  fc.record({
    seed: fc.nat(2 ** 30),
    reactivate: fc.boolean(),
    inBulk: fc.boolean(),
    steps: fc.array(stepOf(longestWaitMs), { minLength: 3, maxLength: 14 }),
  });

/** Configurations with these forms. @param folder - for the file */
export function historyConfigs(folder: string): (reactivate: boolean) => RelayConfig {
  const configs = [false, true].map((reactivate) => {
    const file = join(folder, `relay-${reactivate}.json`);
    const listed = Object.entries(forms).map(([name, id]) => [name, { publication_id: id }]);
    writeFileSync(file, JSON.stringify({ reactivate_existing: reactivate, forms: Object.fromEntries(listed) }));
    return readConfig({
      ...virtualSettings,
      NEWSLETTER_API_KEY: apiKeys.workspace,
      RELAY_STORE: `sqlite:${join(folder, 'relay.db')}`,
      RELAY_CONFIG: file,
    });
  });
  return (reactivate) => configs[Number(reactivate)]!;
}

const emailOf = (person: number): string => `person.${person}@example.com`;

/** A signup that the relay acknowledged. */
interface Accepted {
  readonly order: number;
  readonly person: number;
  readonly form: FormName;
  readonly marker: string;
}

/** A request for one person that reached the service or was lost before. */
interface Sent {
  readonly order: number;
  readonly marker: string;
  readonly mayBeDone: boolean;
}

/** What a history came to. */
export interface Told {
  /** What did not hold, in words; empty where everything did. */
  readonly problems: readonly string[];
  readonly accepted: number;
  readonly calls: number;
  /** Of those, bulk creations. */
  readonly bulks: number;
  readonly kills: number;
  /** Subscriptions that became active again. */
  readonly rises: number;
}

export interface HistoryParts {
  readonly config: RelayConfig;
  /** Opens the store of this history, also after a kill. */
  readonly open: () => Promise<SignupStore>;
  readonly abandon?: VirtualRelayOptions['abandon'];
}

/** Lets a history happen and says what did not hold. */
export function runHistory(history: History, parts: HistoryParts): Promise<Told> {
  return inVirtualTime((clock) => happenIn(clock, history, parts));
}

async function happenIn(
  clock: VirtualClock,
  { seed, steps, inBulk }: History,
  { config, open, abandon }: HistoryParts,
): Promise<Told> {
  const random = seeded(seed);
  const problems: string[] = [];
  const sandbox = createSandbox({ now: clock.now, profile: 'unlimited', seed: seedFor(random), idSeed: 1 });

  /** Counts everything that happens, in its order. */
  let order = 0;
  const accepted: Accepted[] = [];
  const sent: Sent[] = [];
  /** When what a marker stands for was carried out. */
  const applied = new Map<string, number[]>();
  const status = new Map<string, string>();
  const unsubscribed = new Map<string, number>();
  let rises = 0;
  let kills = 0;
  let calls = 0;
  let bulks = 0;

  const keyOf = (publication: string, email: string): string => `${publication} ${email.toLowerCase()}`;
  for (const { publication_id, email, status: was } of await everySubscription(sandbox))
    status.set(keyOf(publication_id, email), was);
  sandbox.subscribe((event) => {
    if (event.type !== 'subscription') return;
    const email = String(event.subscription['email']);
    const now = String(event.subscription['status']);
    const key = keyOf(event.publication_id, email);
    const was = status.get(key);
    status.set(key, now);
    order += 1;
    if (now === 'inactive' && was !== 'inactive') unsubscribed.set(key, order);
    if (was === 'inactive' && now !== 'inactive') {
      rises += 1;
      judgeRise(key, event.publication_id, email);
    }
  });

  /** A person became active again: by a signup received since they unsubscribed, or one that was never carried out. */
  function judgeRise(key: string, publication: string, email: string): void {
    const since = unsubscribed.get(key) ?? 0;
    const theirs = accepted.filter(({ person, form }) => emailOf(person) === email && forms[form] === publication);
    const allowed = theirs.some(
      ({ order: received, marker }) => received > since || !(applied.get(marker) ?? []).some((at) => at < since),
    );
    if (!config.forms['default']?.pinned.reactivate_existing)
      problems.push(`${key} became active again, and the relay is configured to reactivate nobody`);
    else if (!allowed)
      problems.push(`${key} became active again by the repetition of a signup from before they unsubscribed`);
  }

  /** By content: when the first of its repeats was sent, and how often that was too long ago to repeat it. */
  const intents = new Map<string, { at: number; number: number }>();

  /** What a signup carries, so that requests are told apart: the same for repeats, as the relay understands them. */
  function markerOf(content: string): string {
    const known = intents.get(content);
    const isRepeat = known !== undefined && clock.now() < known.at + repeatWindowMs;
    const intent = isRepeat ? known : { at: clock.now(), number: (known?.number ?? 0) + 1 };
    intents.set(content, intent);
    return `${content}-${intent.number}`;
  }

  const coming: { ending: Ending; kill: boolean }[] = [];
  let relay: VirtualRelay | null = null;
  let killed: Promise<void> | null = null;

  async function start(): Promise<void> {
    relay = await startVirtualRelay({
      clock,
      config,
      open,
      abandon,
      answering,
      random,
      latencyMs: () => 40 + random() * (random() < 0.2 ? 8_000 : 400),
      delivery: { bulk: inBulk ? { above: 2 } : null },
    });
  }

  /** Kills the relay and starts it again a little later. */
  function kill(): void {
    const victim = relay;
    if (!victim) return;
    relay = null;
    kills += 1;
    killed = victim.kill().then(async () => {
      await clock.sleep(5_000);
      await start();
      killed = null;
    });
  }

  async function answering(request: Request): Promise<Response> {
    sandbox.settle();
    calls += 1;
    const { ending, kill: fatal } = coming.shift() ?? { ending: 'ok', kill: false };
    const isBulk = request.url.endsWith('/bulk_subscriptions');
    if (isBulk) bulks += 1;
    const isCreate = isBulk || (request.method === 'POST' && request.url.endsWith('/subscriptions'));
    const text = await request.clone().text();
    const items = isCreate ? itemsOf(text) : [];
    const reaches = ending === 'ok' || ending === 'lost' || ending === 'failedLate';
    for (const item of items) judgeRequest(item, !provablyNotDone.has(ending));
    if (fatal) kill();
    const answer = reaches ? await sandbox.fetch(request) : null;
    if (reaches) markApplied(items, isBulk);
    switch (ending) {
      case 'refused':
        throw new TransportError('network', { code: 'ECONNREFUSED', notSent: true });
      case 'reset':
      case 'lost':
        throw new TransportError('network', { code: 'ECONNRESET' });
      case 'failed':
      case 'failedLate':
        return problem(500);
      case 'limited':
        return problem(429, { 'retry-after': '2' });
      case 'rejected':
        return problem(400);
      case 'ok':
        return answer!;
    }
  }

  /** A repetition must not ask the service to reactivate. */
  function judgeRequest({ marker, reactivates }: Item, mayBeDone: boolean): void {
    order += 1;
    const earlier = sent.findLast((each) => each.marker === marker && each.mayBeDone);
    const since = accepted.some((each) => each.marker === marker && earlier && each.order > earlier.order);
    if (reactivates && earlier && !since) problems.push(`a repetition of ${marker} asked to reactivate`);
    sent.push({ order, marker, mayBeDone });
  }

  function markApplied(items: readonly Item[], isBulk: boolean): void {
    const mark = (): void => {
      sandbox.settle();
      order += 1;
      for (const { marker } of items) applied.set(marker, [...(applied.get(marker) ?? []), order]);
    };
    // The sandbox carries an import out after two seconds.
    if (isBulk) clock.after(2_001, mark);
    else mark();
  }

  async function unsubscribe(email: string, publication: string): Promise<void> {
    const found = (await everySubscription(sandbox)).find(
      (each) => each.publication_id === publication && each.email === email,
    );
    if (!found) return;
    await sandbox.fetch(
      new Request(`http://sandbox.test/v2/publications/${publication}/subscriptions`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${apiKeys.workspace}`, 'content-type': 'application/json' },
        body: JSON.stringify({ subscription_ids: [found.id], new_status: 'inactive' }),
      }),
    );
    clock.after(2_001, () => sandbox.settle());
  }

  async function running(): Promise<VirtualRelay> {
    while (!relay) await clock.sleep(100);
    return relay;
  }

  async function signUp({ person, form, content, key }: Signup): Promise<void> {
    const marker = markerOf(`${person}-${form}-${content}`);
    const to = await running();
    const answer = await to.post(
      form,
      { email: emailOf(person), utm_content: marker },
      key ? `intent-${marker}` : undefined,
    );
    if (answer === 202) accepted.push({ order: (order += 1), person, form, marker });
    else if (answer !== null) problems.push(`a signup was answered with ${answer}`);
  }

  async function pause(paused: boolean): Promise<void> {
    const { store } = await running();
    await clock.during(() => store.setPaused(paused));
  }

  async function happen(now: Step): Promise<void> {
    sandbox.settle();
    switch (now.what) {
      case 'signUp':
        return signUp(now.signup);
      case 'rush':
        await pause(true);
        for (const each of now.signups) await signUp(each);
        return pause(false);
      case 'unsubscribe':
        return clock.during(() => unsubscribe(emailOf(now.person), forms[now.form]));
      case 'calls':
        coming.push(...now.calls);
        return;
      case 'kill':
        return kill();
      case 'wait':
        return clock.sleep(now.ms);
    }
  }

  /** Whether something is still to be delivered. */
  async function isOpen(): Promise<boolean> {
    if (killed || !relay) return true;
    const { waiting, sent: underWay } = await relay.store.counts();
    return waiting + underWay > 0;
  }

  function judgeEnd(rows: readonly StoredSignup[]): void {
    for (const { form, marker } of accepted) {
      const row = rows.find((each) => each.form === form && each.submission?.utm_content === marker);
      if (!row) problems.push(`a signup of ${marker} is neither delivered nor dead: it is gone`);
    }
    for (const { state, submission } of rows) {
      if (state !== 'delivered' && state !== 'dead')
        problems.push(`a signup of ${submission?.utm_content} is still ${state}`);
    }
    const wanted = rows.filter(({ state }) => state === 'delivered');
    for (const { form, submission } of wanted) {
      const key = keyOf(forms[form as FormName], submission?.email ?? '');
      if (!status.has(key)) problems.push(`${key} counts as delivered and has no subscription`);
    }
  }

  async function happenAll(): Promise<void> {
    await start();
    for (const each of steps) await happen(each);
    coming.length = 0;
    const end = clock.now() + 3 * 3_600_000;
    while (clock.now() < end && (await clock.during(isOpen))) await clock.sleep(10_000);
    sandbox.settle();
    const { store, stop } = await running();
    const rows: StoredSignup[] = [];
    await clock.during(async () => {
      for await (const row of everySignup(store)) rows.push(row);
    });
    judgeEnd(rows);
    await stop();
  }

  try {
    await happenAll();
  } finally {
    sandbox.close();
  }
  return { problems, accepted: accepted.length, calls, bulks, kills, rises };
}

interface Item {
  readonly marker: string;
  readonly reactivates: boolean;
}

function itemsOf(text: string): Item[] {
  const body = JSON.parse(text) as Record<string, unknown>;
  const all = (body['subscriptions'] ?? [body]) as Record<string, unknown>[];
  return all.map((each) => ({
    marker: String(each['utm_content']),
    reactivates: each['reactivate_existing'] === true,
  }));
}

/** Some people are subscribers already, or were. */
function seedFor(random: () => number): Seed {
  const publications = [publicationId, otherPublication].map((id) => ({
    id,
    name: id,
    created: 1_698_829_200,
    subscriptions: Array.from({ length: people }, (_, n) => n)
      .filter(() => random() < 0.4)
      .map((n) => ({
        email: emailOf(n),
        status: random() < 0.5 ? ('active' as const) : ('inactive' as const),
        created: 1_700_000_000,
      })),
  }));
  return { publications };
}

interface Known {
  readonly id: string;
  readonly publication_id: string;
  readonly email: string;
  readonly status: string;
}

async function everySubscription(sandbox: Sandbox): Promise<Known[]> {
  const answer = await sandbox.fetch('http://sandbox.test/_sandbox/subscriptions?limit=200');
  return ((await answer.json()) as { data: Known[] }).data;
}

function problem(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  const body = { status, statusText: 'problem', errors: [{ message: 'Not now.', code: 'NOT_NOW' }] };
  return Response.json(body, { status, headers });
}
