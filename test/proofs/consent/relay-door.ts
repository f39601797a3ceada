/** The form and the confirmation mail: our relay's store, its pages and its delivery. */
import { createLog, type Form, type NewSignup, readConfig, type SignupStore } from '@newsletter-kit/relay';
import { confirmationPages } from '../../../packages/relay/src/confirmation/pages.ts';
import { signLink } from '../../../packages/relay/src/confirmation/mail.ts';
import { createContext, type RelayContext } from '../../../packages/relay/src/context.ts';
import { DeliveryQueue } from '../../../packages/relay/src/delivery/queue.ts';
import { LoopGroup } from '../../../packages/relay/src/queue/worker.ts';
import { createMemoryStore } from './relay-store.ts';
import { find } from './service.ts';
import {
  done,
  emailOf,
  keyOf,
  people,
  publicationNames,
  publications,
  Visit,
  wish,
  type Action,
  type Ending,
  type Guard,
  type Person,
  type Publication,
  type WorldState,
} from './world.ts';

const memory = createMemoryStore();
const log = createLog({ level: 'silent' });
const linkKey = Buffer.alloc(32, 1);
const config = readConfig({
  NEWSLETTER_API_URL: 'http://127.0.0.1:9/v2',
  NEWSLETTER_API_KEY: 'key',
  NEWSLETTER_PUBLICATION_ID: 'pub_00000000-0000-4000-8000-000000000001',
  RELAY_ALLOWED_ORIGINS: 'https://shop.example',
});

function formOf(name: Publication, reactivates = false): Form {
  return {
    name,
    publicationId: publications[name],
    apiKey: 'key',
    origins: new Set(),
    allowedFields: null,
    pinned: { reactivate_existing: true },
    thanksUrl: null,
    protection: { token: false, proof: 'off', turnstile: null, mx: 'off' },
    consent: { version: null, required: false, sentences: [], field: null, address: 'none' },
    page: null,
    site: { title: 'Letter', lang: 'en', theme: null, accent: null, homeUrl: null, privacyUrl: null, imprintUrl: null },
    confirmation:
      name === 'single'
        ? null
        : {
            from: { name: '', address: 'news@example.com' },
            subject: 'Please confirm',
            text: '{link}',
            confirmedUrl: null,
            reactivates,
            mailsPerHour: 1_000_000,
          },
  };
}

/** Opens the relay's store, works with it, and keeps its rows. */
export async function withRelay<T>(
  state: WorldState,
  guardOff: Guard | undefined,
  work: (store: SignupStore, contextFor: (form: Form) => RelayContext) => Promise<T>,
): Promise<T> {
  const opened = memory.open(state.relay);
  const store = guardOff?.store?.(opened, memory) ?? opened;
  const contextFor = (form: Form): RelayContext =>
    createContext(
      {
        config: { ...config, forms: { [form.name]: form } },
        store,
        log,
        timing: { now: () => state.now, random: () => 0.5 },
      },
      new AbortController().signal,
    );
  const result = await work(store, contextFor);
  state.relay = memory.rows();
  return result;
}

/** A backlog of others: the relay delivers fewer than ten one by one. They are forgotten after the delivery. */
const crowd = Array.from({ length: 10 }, (_, number) => `crowd.${number}@example.com`);

function forgetCrowd({ service }: WorldState): void {
  memory.exec(`DELETE FROM signup WHERE submission LIKE '%"crowd.%'`);
  service.subscribers = service.subscribers.filter(({ email }) => !crowd.includes(email));
  for (const key of Object.keys(service.made)) if (key.includes(' crowd.')) delete service.made[key];
}

const signupOf = (state: WorldState, name: Publication, email: string, mark: string): NewSignup => ({
  form: name,
  submission: { email, utm_content: mark },
  suspected: null,
  needsConfirmation: formOf(name).confirmation !== null,
  origin: null,
  idempotencyKey: mark || null,
  consent: null,
  receivedAt: state.now,
});

/** A person posts the form, or their browser posts it again. */
async function post(state: WorldState, guardOff: Guard | undefined, name: Publication, person: Person, mark: string) {
  await withRelay(state, guardOff, (store) => store.accept(signupOf(state, name, emailOf(person), mark)));
  return done;
}

export function form(name: Publication, person: Person): Action {
  return {
    name: `person ${person} posts the form of ${name}`,
    person,
    publication: name,
    run(state, guardOff) {
      // Where the relay asks for a confirmation, the click is the wish.
      const mark = wish(state, name === 'single');
      state.posted[keyOf(name, person)] = mark;
      return post(state, guardOff, name, person, mark);
    },
  };
}

export function postAgain(name: Publication, person: Person): Action {
  return {
    name: `the post of person ${person} to ${name} arrives again`,
    person,
    publication: name,
    run(state, guardOff) {
      const mark = state.posted[keyOf(name, person)];
      return mark === undefined ? null : post(state, guardOff, name, person, mark);
    },
  };
}

/** The person clicks the link of their last mail, for the first time or again. */
export function click(person: Person): Action {
  return {
    name: `person ${person} clicks the confirmation link`,
    person,
    publication: 'double',
    run(state, guardOff) {
      const rows = state.relay.signup.filter(
        ({ form: of, submission }) => of === 'double' && markOf(submission, person) !== undefined,
      );
      const row = rows.at(-1);
      if (!row) return null;
      const mark = markOf(row['submission'], person);
      const wished = mark === undefined ? undefined : state.wishes[mark];
      if (row['state'] === 'unconfirmed' && wished && !wished.mayReactivate)
        Object.assign(wished, { mayReactivate: true, at: state.now });
      return withRelay(state, guardOff, async (_, contextFor) => {
        const pages = confirmationPages(contextFor(formOf('double', state.knowing)), {
          key: linkKey,
          visitor: () => null,
          statusOf: async (_form, email) => find(state.service, publications.double, email)?.status ?? null,
        });
        const link = `http://relay.test/${signLink(linkKey, String(row['id']))}`;
        await pages.fetch(new Request(link, { method: 'POST' }), { peer: null });
        return done;
      });
    },
  };
}

function markOf(submission: unknown, person: Person): string | undefined {
  if (typeof submission !== 'string') return undefined;
  const { email, utm_content: mark } = JSON.parse(submission) as Record<string, string>;
  return email === emailOf(person) ? mark : undefined;
}

/** What happens to the door's memory after an action. */
export type Restoring = 'no' | 'restored backup';

export function deliver(
  name: Publication,
  ending: Ending,
  { bulk = false, restoring = 'no' as Restoring } = {},
): Action {
  return {
    name: [
      `the relay delivers to ${name}${bulk ? ' in bulk' : ''}`,
      ...(ending === 'ok' ? [] : [ending]),
      ...(restoring === 'no' ? [] : [restoring]),
    ].join(', '),
    publication: name,
    async run(state, guardOff) {
      const isDue = state.relay.signup.some(
        ({ form: of, state: is }) => of === name && (is === 'waiting' || is === 'sent'),
      );
      if (!isDue) return null;
      const before = structuredClone(state.relay);
      const visit = new Visit(state, { door: 'form', publication: name, ending, guardOff });
      const pinned = { reactivate_existing: guardOff?.ignoresRestoring === true || !state.cautious };
      await withRelay(state, guardOff, async (store, contextFor) => {
        if (bulk) for (const email of crowd) await store.accept(signupOf(state, name, email, ''));
        const queue = new DeliveryQueue(contextFor({ ...formOf(name, state.knowing), pinned }), () => visit.client, {
          concurrency: 1,
          bulk: bulk ? { above: 1 } : null,
        });
        const ending = new AbortController();
        const done = queue.deliver(ending.signal, new LoopGroup());
        if ((await Promise.race([done, visit.death])) === 'dead') ending.abort();
        if (bulk) forgetCrowd(state);
      });
      if (restoring !== 'no') {
        state.relay = before;
        state.cautious = true;
        // Step 5 of the documentation: erase again.
        for (const person of people)
          if (publicationNames.some((each) => state.erased[keyOf(each, person)]))
            await withRelay(state, guardOff, (store) => store.erase(emailOf(person)));
      } else if (!state.relay.signup.some(({ state: is }) => is === 'waiting' || is === 'sent')) state.cautious = false;
      return visit;
    },
  };
}
