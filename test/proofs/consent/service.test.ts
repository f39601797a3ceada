/** The model of the service answers as the sandbox does, in any order of the requests that the small world makes. */
import { createSandbox, apiKeys, type Seed } from '@newsletter-kit/sandbox';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answer, readCall, redact, startService } from './service.ts';
import {
  doubleOptIn,
  emailOf,
  people,
  publicationNames,
  publications,
  type Person,
  type Publication,
} from './world.ts';

type Step =
  | {
      readonly what: 'create' | 'import';
      readonly publication: Publication;
      readonly body: Readonly<Record<string, unknown>>;
    }
  | { readonly what: 'leave'; readonly publication: Publication; readonly person: Person }
  | { readonly what: 'erase'; readonly person: Person };

const person = fc.constantFrom(...people);
const publication = fc.constantFrom(...publicationNames);
const creation = fc
  .record(
    {
      person,
      reactivate_existing: fc.boolean(),
      double_opt_override: fc.constantFrom('on', 'off', 'not_set'),
    },
    { requiredKeys: ['person'] },
  )
  .map(({ person: one, ...fields }) => ({ email: emailOf(one), ...fields }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constantFrom('create', 'import'), publication, body: creation }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('leave'), publication, person }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('erase'), person }) },
);

const seed: Seed = {
  publications: publicationNames.map((name) => ({
    id: publications[name],
    name,
    created: 1_698_829_200,
    double_opt_in: name === 'double',
  })),
};

interface Listed {
  readonly id: string;
  readonly email: string;
  readonly status: string;
}

it('changes statuses as the sandbox does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const sandbox = createSandbox({ seed, profile: 'unlimited', now: () => Date.UTC(2026, 0, 1) });
      const model = startService();
      const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
        const url = `http://sandbox.test/v2${path}`;
        const text = body === undefined ? {} : { body: JSON.stringify(body) };
        const headers = { authorization: `Bearer ${apiKeys.workspace}`, 'content-type': 'application/json' };
        const response = await sandbox.fetch(url, { method, headers, ...text });
        sandbox.clock.advance(5_000);
        return response.json();
      };
      const both = async (
        method: string,
        name: Publication,
        resource: string,
        body?: unknown,
      ): Promise<readonly [unknown, unknown]> => {
        const path = `/publications/${publications[name]}/${resource}`;
        const call = {
          method,
          url: `http://sandbox.test/v2${path}`,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        };
        return [answer(model, readCall(call), 1, doubleOptIn), await send(method, path, body)];
      };
      const listed = async (name: Publication): Promise<readonly (readonly Listed[])[]> =>
        (await both('GET', name, 'subscriptions?limit=100')).map((page) => (page as { data: Listed[] }).data);
      for (const each of steps) {
        if (each.what === 'create') await both('POST', each.publication, 'subscriptions', each.body);
        else if (each.what === 'import')
          await both('POST', each.publication, 'bulk_subscriptions', { subscriptions: [each.body] });
        else if (each.what === 'leave') {
          const leaver = emailOf(each.person);
          const lists = await listed(each.publication);
          const [ours, theirs] = lists.map((list) => list.find(({ email }) => email === leaver)?.id);
          if (ours === undefined || theirs === undefined) continue;
          const bodies = [ours, theirs].map((id) => ({ subscriptions: [{ subscription_id: id, unsubscribe: true }] }));
          const path = `/publications/${publications[each.publication]}/subscriptions/bulk_actions`;
          answer(
            model,
            readCall({ method: 'PUT', url: `http://sandbox.test/v2${path}`, body: JSON.stringify(bodies[0]) }),
            1,
            doubleOptIn,
          );
          await send('PUT', path, bodies[1]);
        } else if (each.what === 'erase') {
          redact(model, emailOf(each.person));
          await send('POST', `/publications/${publications.single}/data_privacy/deletion_requests`, {
            email: emailOf(each.person),
          });
          sandbox.clock.advance(15 * 86_400_000);
        }
        for (const name of publicationNames) {
          const [ours, theirs] = (await listed(name)).map((list) =>
            list.map(({ email, status }) => `${email.replace(/^redacted-.*@/, '@')} ${status}`).sort(),
          );
          expect(ours).toEqual(theirs);
        }
      }
      sandbox.close();
    }),
    { numRuns: 60 },
  );
});
