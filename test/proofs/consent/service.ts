/**
 * A model of the service, small enough to be copied thousands of times a second: subscriptions, their statuses, and the
 * few requests that doors make. `service.test.ts` compares it with the sandbox.
 */

export type Status = 'active' | 'pending' | 'inactive';

export interface Subscriber {
  readonly id: string;
  readonly publication: string;
  email: string;
  status: Status;
  /** Seconds since the Unix epoch. */
  readonly created: number;
}

export interface ServiceState {
  subscribers: Subscriber[];
  /** Subscriptions that each address of each publication has had, erased ones included. */
  made: Record<string, number>;
}

/** A request without the host and the headers. */
export interface Call {
  readonly method: string;
  readonly publication: string;
  /** The rest of the path: `subscriptions`. */
  readonly resource: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The fields of a SubscriptionRequest that decide about the status, and the mark by which tests know it. */
export interface Creation {
  readonly email: string;
  readonly reactivate_existing?: boolean;
  readonly double_opt_override?: 'on' | 'off' | 'not_set';
  readonly utm_content?: string;
}

interface BulkChange {
  readonly subscription_id: string;
  readonly unsubscribe?: boolean;
}

/** Publications that ask new subscribers to confirm. */
export type DoubleOptIn = ReadonlySet<string>;

export function startService(): ServiceState {
  return { subscribers: [], made: {} };
}

export function readCall({
  method,
  url,
  body,
}: {
  readonly method: string;
  readonly url: string;
  readonly body?: string | undefined;
}): Call {
  const { pathname, searchParams: query } = new URL(url);
  const [, publication = '', resource = ''] = /\/publications\/([^/]+)\/(.+)$/.exec(pathname) ?? [];
  return { method, publication, resource, query, body: body === undefined ? {} : (JSON.parse(body) as Call['body']) };
}

/** The creations that a request asks for. */
export function creationsIn({ method, resource, body }: Call): readonly Creation[] {
  if (method !== 'POST') return [];
  if (resource === 'subscriptions') return [body as unknown as Creation];
  return resource === 'bulk_subscriptions' ? (body['subscriptions'] as readonly Creation[]) : [];
}

export function find({ subscribers }: ServiceState, publication: string, email: string): Subscriber | undefined {
  return subscribers.find((one) => one.publication === publication && one.email === email);
}

/** Carries a request out. Jobs are done at once. @param now - seconds since the Unix epoch */
export function answer(state: ServiceState, call: Call, now: number, doubleOptIn: DoubleOptIn): unknown {
  const { method, publication, resource, query, body } = call;
  const creations = creationsIn(call);
  const created = creations.map((creation) => create(state, publication, creation, now, doubleOptIn));
  if (resource === 'subscriptions' && method === 'POST') return { data: created[0] };
  if (resource === 'bulk_subscriptions') return { message: 'Accepted.', import_id: 'import' };
  if (resource === 'subscriptions' && method === 'GET') return { data: list(state, publication, query), ...wholeList };
  if (resource === 'subscriptions/bulk_actions') {
    for (const change of body['subscriptions'] as readonly BulkChange[]) {
      const subscriber = state.subscribers.find(({ id }) => id === change.subscription_id);
      if (subscriber && change.unsubscribe) subscriber.status = 'inactive';
    }
    return { data: { subscription_update_id: 'job' } };
  }
  if (resource.startsWith('bulk_subscription_updates/'))
    return { data: { id: 'job', type: 'bulk', status: 'complete', publication_id: publication, error_log: [] } };
  if (resource === 'custom_fields') return { data: [], ...wholeList };
  throw new Error(`The model of the service does not know ${method} ${resource}.`);
}

const wholeList = { limit: 100, has_more: false, next_cursor: null } as const;

function create(
  state: ServiceState,
  publication: string,
  { email, reactivate_existing: reactivates, double_opt_override: override }: Creation,
  now: number,
  doubleOptIn: DoubleOptIn,
): unknown {
  const asked = override === 'on' || (override !== 'off' && doubleOptIn.has(publication)) ? 'pending' : 'active';
  const known = find(state, publication, email);
  if (!known) {
    const key = `${publication} ${email}`;
    const number = (state.made[key] = (state.made[key] ?? 0) + 1);
    const subscriber = {
      id: idOf(publication, email, number),
      publication,
      email,
      status: asked,
      created: now,
    } as const;
    state.subscribers.push(subscriber);
    return recordOf(subscriber);
  }
  if (known.status === 'pending' && override === 'off') known.status = 'active';
  else if (known.status === 'inactive' && reactivates === true) known.status = asked;
  return recordOf(known);
}

/** The digits of the publication, the address and the number, so that the order of creations does not matter. */
function idOf(publication: string, email: string, number: number): string {
  const person = /\d+/.exec(email)?.[0] ?? '0';
  return `sub_${publication.slice(-8)}-0000-4000-8000-${person.padStart(6, '0')}${String(number).padStart(6, '0')}`;
}

/** Redacts a person in every publication, as a completed deletion request does. */
export function redact({ subscribers }: ServiceState, email: string): void {
  for (const subscriber of subscribers) {
    if (subscriber.email !== email) continue;
    subscriber.email = `redacted-${subscriber.id.slice('sub_'.length)}@redacted.invalid`;
    subscriber.status = 'inactive';
  }
}

function list({ subscribers }: ServiceState, publication: string, query: URLSearchParams): readonly unknown[] {
  const email = query.get('email');
  const found = subscribers
    .filter((one) => one.publication === publication && (email === null || one.email === email))
    .toSorted((a, b) => a.created - b.created || (a.id < b.id ? -1 : 1));
  const ordered = query.get('direction') === 'desc' ? found.toReversed() : found;
  return ordered.slice(0, Number(query.get('limit') ?? 10)).map(recordOf);
}

function recordOf({ id, email, status, created }: Subscriber) {
  return { id, email, status, created, subscription_tier: 'free', custom_fields: [] };
}
