/** The rules that keep people out, each with a way to switch it off at a border of our code. */
import type { SignupStore } from '@newsletter-kit/relay';
import type { Door, Guard } from './world.ts';

const unasked = 'somebody who had left was reactivated, and nobody asked for it';
const before = 'somebody who had left was reactivated by what they wished before';
const erased = 'an erased person was subscribed';

/** Asks to reactivate in every creation of a door. */
const reactivating =
  (of: Door): NonNullable<Guard['creation']> =>
  (creation, door) =>
    door === of ? { ...creation, reactivate_existing: true } : creation;

/** A store with other methods. */
const changed = (store: SignupStore, methods: Partial<SignupStore>): SignupStore =>
  new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(Object.hasOwn(methods, name) ? methods : target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

export const guards: readonly Guard[] = [
  {
    name: 'a signup of the relay that was tried before reactivates nobody',
    depth: 4,
    publication: 'single',
    from: 'left',
    problem: before,
    creation: reactivating('form'),
  },
  {
    name: 'a signup counts as tried after its answer was lost',
    depth: 4,
    publication: 'single',
    from: 'left',
    problem: before,
    store: (store) =>
      changed(store, {
        settle: (ids, outcome) => store.settle(ids, 'tried' in outcome ? { ...outcome, tried: false } : outcome),
      }),
  },
  {
    name: 'a signup counts as tried after its process has died',
    depth: 4,
    publication: 'single',
    from: 'left',
    problem: before,
    store: (store, memory) =>
      changed(store, {
        claim(claim) {
          memory.exec(
            `UPDATE signup SET state = 'waiting', tried = 0, next_attempt_at = 0 WHERE state = 'sent' AND batch IS NULL`,
          );
          return store.claim(claim);
        },
      }),
  },
  {
    name: 'a signup counts as tried after its batch was not found',
    depth: 4,
    publication: 'single',
    from: 'left',
    problem: before,
    store: (store) => changed(store, { endBatch: (id, outcome) => store.endBatch(id, { ...outcome, tried: false }) }),
  },
  {
    name: 'a post that arrives again is the same signup',
    depth: 5,
    publication: 'single',
    from: 'left',
    problem: before,
    needs: /posts|arrives again|delivers|leaves/,
    store: (store) =>
      changed(store, {
        accept: (signup) =>
          store.accept({
            ...signup,
            idempotencyKey: null,
            submission: { ...signup.submission, utm_term: String(signup.receivedAt) },
          }),
      }),
  },
  {
    name: 'a signup waits for its confirmation',
    depth: 2,
    publication: 'double',
    from: 'left',
    problem: unasked,
    store: (store) => changed(store, { accept: (signup) => store.accept({ ...signup, needsConfirmation: false }) }),
  },
  {
    name: 'a confirmation counts once',
    depth: 6,
    publication: 'double',
    from: 'left',
    problem: before,
    needs: /posts|clicks|delivers|leaves/,
    store: (store, memory) =>
      changed(store, {
        async linked(...args) {
          const linked = await store.linked(...args);
          const { signup } = linked ?? {};
          if (!signup?.submission) return linked;
          const consent = { sentence: null, version: null };
          return {
            signup: { ...signup, state: 'unconfirmed' },
            open: [{ ...signup, submission: signup.submission, consent }],
          };
        },
        confirmPerson({ confirmed }) {
          const ids = confirmed.map(({ id }) => id);
          for (const id of ids)
            memory.exec(`UPDATE signup SET state = 'waiting', tried = 0, next_attempt_at = 0 WHERE id = ?`, id);
          return Promise.resolve(ids);
        },
      }),
  },
  {
    name: 'an erasure takes the signups that wait with it',
    depth: 3,
    publication: 'single',
    from: 'left',
    problem: erased,
    store: (store) => changed(store, { erase: () => Promise.resolve({ signups: 0, consents: 0 }) }),
  },
  {
    name: 'after a backup was restored, the relay reactivates nobody until nothing waits',
    depth: 4,
    publication: 'single',
    from: 'left',
    problem: before,
    ignoresRestoring: true,
  },
  {
    name: 'an import asks to reactivate only where the row says so',
    depth: 1,
    publication: 'single',
    from: 'left',
    problem: unasked,
    creation: reactivating('import'),
  },
  {
    name: 'an import that sends a row again reactivates nobody',
    depth: 3,
    publication: 'single',
    from: 'left',
    problem: before,
    needs: /leaves|import with .*(crash|single)$/,
    creation: (creation, door) =>
      door === 'import' && creation.reactivate_existing === false
        ? { ...creation, reactivate_existing: true }
        : creation,
  },
  {
    name: 'a call whose answer was lost is not repeated with the wish to reactivate',
    depth: 1,
    publication: 'single',
    from: 'left',
    problem: before,
    repeatsLostCalls: true,
  },
  {
    name: 'an upsert asks to reactivate only where it is told to',
    depth: 1,
    publication: 'single',
    from: 'left',
    problem: unasked,
    creation: reactivating('upsert'),
  },
  {
    name: 'an upsert does not skip the confirmation of somebody who was asked for it',
    depth: 2,
    publication: 'double',
    from: 'unknown',
    problem: 'somebody who was asked to confirm became active without it',
    creation: (creation, door) =>
      door === 'upsert' && creation.reactivate_existing !== true
        ? { ...creation, double_opt_override: 'off' }
        : creation,
  },
  {
    name: 'a sync never asks to reactivate',
    depth: 2,
    publication: 'single',
    from: 'unknown',
    problem: unasked,
    creation: reactivating('sync'),
  },
  {
    name: 'a sync creates nobody who is opted out in the CRM',
    depth: 3,
    publication: 'single',
    from: 'unknown',
    problem: 'somebody who is opted out in the CRM was subscribed',
    contacts: (contacts) => contacts.map((contact) => ({ ...contact, do_not_mail: false })),
  },
  {
    name: 'a sync creates nobody again whom it has known',
    depth: 2,
    publication: 'single',
    from: 'active',
    problem: erased,
    contacts: (contacts) => contacts.map((contact) => ({ ...contact, token_single: '', token_double: '' })),
  },
];
