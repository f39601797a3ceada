/** Every operation with items that succeed and items that fail, for the tests of *On Error* and *Retry On Fail*. */
import type { Client } from '@newsletter-kit/core';
import type { Sandbox } from '@newsletter-kit/sandbox';
import { resources } from '../../nodes/Newsletter/operations/resources.ts';
import type { Run } from './context.ts';
import { scenarios } from './scenarios.ts';

type Parameters = Run['parameters'];

/** What an item is about. */
export interface Subject {
  readonly parameters: Parameters;
  /** In the request that changes it, and in no request about another subject. */
  readonly mark: string;
  /** What the item says where it succeeded. */
  readonly says: Readonly<Record<string, unknown>>;
}

/** An operation that changes something. */
export interface Writing {
  readonly resource: string;
  readonly operation: string;
  readonly what: string;
  /** The operation of the API that makes the change. */
  readonly writes: string;
  /** Replaces parameters of an item that fails. */
  readonly broken: Parameters;
  /** Whether a wrong item is an outcome like others and stops nothing, unless failed items have an output. */
  readonly reportsWrongItems?: true;
  /** Whether one request changes all items. */
  readonly together?: true;
  /** Prepares the service. */
  subjects(api: Client): Promise<readonly Subject[]>;
}

/** The number of items of a run. */
export const count = 3;
const each = <Value>(of: (index: number) => Value): Value[] => Array.from({ length: count }, (_, index) => of(index));
const addresses = each((index) => `reader.${index}@example.com`);
const byEmail = (value: unknown) => ({ mode: 'email', value });

interface Person {
  readonly email: string;
  readonly id: string;
}

/** Subscribes everybody. */
const people = (api: Client): Promise<readonly Person[]> =>
  Promise.all(
    addresses.map(async (email) => {
      const { data } = await api.subscriptions.create({ email, double_opt_override: 'off' });
      return { email, id: data.id };
    }),
  );

const fields = (api: Client): Promise<readonly string[]> =>
  Promise.all(
    each(async (index) => (await api.customFields.create({ display: `Field ${index}`, kind: 'string' })).data.id),
  );

const noFields = { mappingMode: 'defineBelow', value: {} };
const named = (additionalFields: Parameters = {}) =>
  addresses.map((email) => ({
    parameters: { email, customFields: noFields, additionalFields },
    mark: email,
    says: { email, outcome: 'created', ignored_fields: [] },
  }));
const noAddress = { email: 'no address' };
const nobody = { subscription: byEmail('nobody@example.com') };
const toPremium = { customFields: noFields, updateFields: { tier: 'premium' } };

export const writings: readonly Writing[] = [
  {
    resource: 'subscription',
    operation: 'create',
    what: 'new people',
    writes: 'subscriptions.create',
    broken: noAddress,
    subjects: async () => named(),
  },
  {
    resource: 'subscription',
    operation: 'createOrUpdate',
    what: 'new people',
    writes: 'subscriptions.create',
    broken: noAddress,
    subjects: async () =>
      named({ send_welcome_email: true, utm_source: 'fair', referring_site: 'https://example.com' }),
  },
  {
    resource: 'subscription',
    operation: 'createOrUpdate',
    what: 'known people',
    writes: 'subscriptions.create',
    broken: noAddress,
    subjects: async (api) => {
      await people(api);
      return named({ send_welcome_email: true }).map((subject) => ({
        ...subject,
        says: { ...subject.says, outcome: 'unchanged', ignored_fields: ['send_welcome_email'] },
      }));
    },
  },
  {
    resource: 'subscription',
    operation: 'update',
    what: 'known people',
    writes: 'subscriptions.bulkUpdate',
    broken: nobody,
    subjects: async (api) =>
      (await people(api)).map(({ email, id }) => ({
        parameters: { subscription: byEmail(email), ...toPremium },
        mark: id,
        says: { id, subscription_tier: 'premium', ignored_fields: [] },
      })),
  },
  {
    resource: 'subscription',
    operation: 'bulkUpdate',
    what: 'known people',
    writes: 'subscriptions.bulkUpdate',
    broken: { subscription: { mode: 'id', value: '' }, subscription_id: '' },
    together: true,
    subjects: async (api) =>
      (await people(api)).map(({ id }) => ({
        parameters: { subscription: { mode: 'id', value: id }, subscription_id: id, ...toPremium },
        mark: id,
        says: { job_status: 'complete' },
      })),
  },
  {
    resource: 'subscription',
    operation: 'updateStatus',
    what: 'known people',
    writes: 'subscriptions.updateStatus',
    broken: nobody,
    together: true,
    subjects: async (api) =>
      (await people(api)).map(({ email, id }) => ({
        parameters: { subscription: byEmail(email), new_status: 'inactive' },
        mark: id,
        says: { status: 'inactive', job_status: 'complete' },
      })),
  },
  {
    resource: 'subscription',
    operation: 'bulkImport',
    what: 'new people',
    writes: 'subscriptions.bulkCreate',
    broken: noAddress,
    reportsWrongItems: true,
    together: true,
    subjects: async () =>
      addresses.map((email) => ({
        parameters: { mapping: 'defineBelow', email, customFields: noFields, additionalFields: {} },
        mark: email,
        says: { email, import_status: 'accepted' },
      })),
  },
  {
    resource: 'journey',
    operation: 'enroll',
    what: 'known people',
    writes: 'journeys.enroll',
    broken: nobody,
    subjects: async (api) => {
      const automation = (await api.automations.list()).items.find(({ trigger_events }) =>
        trigger_events?.includes('api'),
      );
      const automationId = { mode: 'list', value: automation?.id };
      return (await people(api)).map(({ email, id }) => ({
        parameters: { automationId, subscription: byEmail(email) },
        mark: email,
        says: { subscription_id: id, enrolled: true },
      }));
    },
  },
  {
    resource: 'customField',
    operation: 'create',
    what: 'new fields',
    writes: 'customFields.create',
    broken: { kind: 'no kind' },
    subjects: async () =>
      each((index) => `Field ${index}`).map((display) => ({
        parameters: { display, kind: 'string' },
        mark: display,
        says: { display, kind: 'string' },
      })),
  },
  {
    resource: 'customField',
    operation: 'update',
    what: 'fields',
    writes: 'customFields.update',
    broken: { customFieldId: '00000000-0000-4000-8000-000000000009' },
    subjects: async (api) =>
      (await fields(api)).map((id, index) => ({
        parameters: { customFieldId: id, display: `Renamed ${index}` },
        mark: id,
        says: { id, display: `Renamed ${index}` },
      })),
  },
  {
    resource: 'customField',
    operation: 'delete',
    what: 'fields',
    writes: 'customFields.delete',
    broken: { customFieldId: '00000000-0000-4000-8000-000000000009' },
    subjects: async (api) =>
      (await fields(api)).map((id) => ({ parameters: { customFieldId: id }, mark: id, says: { deleted: true } })),
  },
  {
    resource: 'dataDeletion',
    operation: 'request',
    what: 'known people',
    writes: 'deletionRequests.create',
    broken: { emailConfirmation: 'another@example.com' },
    subjects: async (api) =>
      (await people(api)).map(({ email }) => ({
        parameters: { email, emailConfirmation: email },
        mark: email,
        says: { email },
      })),
  },
];

/** How many requests after this one changed the subject. */
export function changes(
  sandbox: Pick<Sandbox, 'requests' | 'exchange'>,
  { writes }: Writing,
  { mark }: Subject,
  after: number,
): number {
  return sandbox
    .requests({ after, operation: writes, status: '2xx' })
    .filter(({ n }) => JSON.stringify(sandbox.exchange(n)).includes(mark)).length;
}

const isWriting = ({ resource, operation }: { resource: string; operation: string }): boolean =>
  writings.some((one) => one.resource === resource && one.operation === operation);

/** The operations that only read; an item fails where one of its expressions does. */
export const readings = scenarios.filter((scenario) => !isWriting(scenario));

/** Every operation of the node. */
export const everyOperation: readonly string[] = Object.entries(resources).flatMap(([resource, { operations }]) =>
  Object.keys(operations).map((operation) => `${resource} ${operation}`),
);
