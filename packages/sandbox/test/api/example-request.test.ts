/** The example of a valid request that the request log shows for a refused one. */
import { describe, expect, it } from 'vitest';
import { exampleRequest } from '../../src/api/nearest.ts';
import type { Change } from '../../src/http/errors.ts';
import { publicationId } from '../../src/index.ts';
import { subscriptionsPath } from '../caller.ts';

const subscriptions = 'GET /v2/publications/{publicationId}/subscriptions';
const creation = 'POST /v2/publications/{publicationId}/subscriptions';

describe('the example of a request', () => {
  const path = `/v2${subscriptionsPath}`;
  const example = (request: string, change: readonly Change[], target: string, body: unknown = null) =>
    exampleRequest(
      { request, change },
      { target, body: typeof body === 'string' || body === null ? body : JSON.stringify(body) },
    );
  const bodyOf = (request: string, change: readonly Change[], body: unknown): unknown =>
    JSON.parse(example(request, change, path, body)?.body ?? 'null');

  it('keeps the query of the operation with its changes, and leaves out the rest', () => {
    expect(example(subscriptions, [{ field: 'limit', to: 100 }], `${path}?limit=500&colour=red&status=active`)).toEqual(
      {
        method: 'GET',
        target: `${path}?limit=100&status=active`,
        authorized: true,
        contentType: null,
        body: null,
      },
    );
    expect(example(subscriptions, [], `${path}?colour=red`)?.target).toBe(path);
  });

  it('changes a parameter that is a list', () => {
    const target = `${path}?expand%5B%5D=everything`;
    for (const field of ['expand[]', 'expand[0]', 'expand[12]'])
      expect(example(subscriptions, [{ field, to: 'stats' }], target)?.target).toBe(`${path}?expand%5B%5D=stats`);
    expect(example(subscriptions, [{ field: 'expand[0].x', to: 'stats' }], target)?.target).toBe(target);
  });

  it('keeps the ids of the path where they are at the same place, and names the others', () => {
    const journey = 'GET /v2/publications/{publicationId}/automations/{automationId}/journeys/{automationJourneyId}';
    expect(example(journey, [], '/v2/publications/pub_2/automations/aut_1/journey/aj_1')?.target).toBe(
      '/v2/publications/pub_2/automations/aut_1/journeys/aj_1',
    );
    expect(example(journey, [], '/publications/pub_2/automations/aut_1/journeys/aj_1')?.target).toBe(
      '/v2/publications/pub_2/automations/{automationId}/journeys/{automationJourneyId}',
    );
    expect(example(journey, [], '/v2/publications//automations//journeys/aj_1')?.target).toBe(
      `/v2/publications/${publicationId}/automations/{automationId}/journeys/aj_1`,
    );
  });

  it.each([
    ['POST /oauth/token', false],
    ['GET /oauth/token/info', true],
    ['GET /oauth/authorize', false],
    [subscriptions, true],
  ])('%s needs a key: %s', (request, authorized) => {
    expect(example(request, [], request.split(' ')[1] ?? '')?.authorized).toBe(authorized);
  });

  it('sends a form where the operation takes one', () => {
    const sent = example('POST /oauth/revoke', [], '/oauth/revoke');
    expect(sent?.contentType).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(sent?.body ?? ''))).toEqual({
      token: 'the access or refresh token',
      client_id: 'sandbox-app',
      client_secret: 'sandbox-secret',
    });
  });

  it('has the whole example as its body where none was sent, or none that is an object', () => {
    const whole = {
      email: 'ada@example.com',
      utm_source: 'landing page',
      double_opt_override: 'not_set',
      custom_fields: [{ name: 'First Name', value: 'Ada' }],
    };
    expect(example(creation, [], path)).toMatchObject({ contentType: 'application/json', method: 'POST' });
    for (const body of [null, '{"email"', '[]', 'null']) expect(bodyOf(creation, [], body)).toEqual(whole);
    expect(bodyOf(creation, [{ field: 'body', to: {} }], { tier: 'free' })).toEqual(whole);
    expect(bodyOf(creation, [{ field: 'email', to: 'reader@example.com' }], null)).toEqual(whole);
  });

  it('keeps the body that was sent, adds required fields, and makes the changes', () => {
    expect(bodyOf(creation, [], { tier: 'free' })).toEqual({ tier: 'free', email: 'ada@example.com' });
    expect(bodyOf(creation, [{ field: 'tier', to: 'free' }], { email: 'a@b.example', tier: 'gold' })).toEqual({
      email: 'a@b.example',
      tier: 'free',
    });
    const update = 'PATCH /v2/publications/{publicationId}/custom_fields/{id}';
    expect(bodyOf(update, [], {})).toEqual({});
  });

  it('does not exist for a request that is no operation', () => {
    expect(example('GET /v2/nowhere', [], '/v2/nowhere')).toBeNull();
  });
});
