/** Several forms on one relay, each with its own publication, origins, allowed fields and pinned fields. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { waitUntil } from '../../../../test/support/waits.ts';
import type { RelayEvent } from '../../src/events.ts';
import { post, publicationId, runRelay, type RelayParts, type RunningRelay } from '../running-relay.ts';
import { asFetch, sandboxApi } from '../sandbox-api.ts';
import { scratchFolder } from '../../../../test/support/scratch-folder.ts';

const jobs = 'https://jobs.example';
const club = 'https://club.example';

const automations = ['aut_00000000-0000-4000-8000-00000000000a', 'aut_00000000-0000-4000-8000-00000000000b'];

function severalForms(parts: RelayParts = {}): RunningRelay {
  const file = join(scratchFolder(), 'relay.yaml');
  writeFileSync(
    file,
    `forms:
  jobs:
    allowed_origins: ${jobs}
    allowed_fields: [First Name]
    double_opt_override: on
    automation_ids: [${automations[0]}]
  club:
    allowed_origins: ${club}
    publication_id: pub_00000000-0000-4000-8000-000000000002
    allowed_fields: [Topics]
    tier: premium
    automation_ids: [${automations[1]}]
    thanks_url: https://club.example/welcome
  jobs-2: { allowed_origins: ${jobs}, form_token: true }
  jobs-3: { allowed_origins: ${jobs}, form_token: true }
`,
  );
  return runRelay({ ...parts, settings: { RELAY_CONFIG: file } });
}

/** The same post to another form. */
function to(form: string, request: Request): Request {
  return new Request(`http://relay.example/signup/${form}`, request);
}

/** What a page may not set. */
const hostile = {
  form: 'club',
  publication_id: 'x',
  double_opt_override: 'off',
  tier: 'free',
  automation_ids: automations,
};

describe('a relay with several forms', () => {
  it('delivers each signup with the publication, pinned fields and allowed fields of its form', async () => {
    const paths: string[] = [];
    const api = sandboxApi();
    const relay = severalForms({
      api: asFetch((request) => {
        paths.push(new URL(request.url).pathname);
        // The sandbox has one publication; it stands for both.
        return api.fetch(new Request(request.url.replace(/pub_[\w-]+/, publicationId), request));
      }),
    });
    const custom_fields = [
      { name: 'First Name', value: 'Ada' },
      { name: 'Topics', value: 'CSS' },
    ];
    const expected = {
      jobs: {
        publication: publicationId,
        pinned: { double_opt_override: 'on', automation_ids: [automations[0]] },
        field: custom_fields[0],
      },
      club: {
        publication: 'pub_00000000-0000-4000-8000-000000000002',
        pinned: { tier: 'premium', automation_ids: [automations[1]] },
        field: custom_fields[1],
      },
    };
    relay.start();
    for (const [form, origin] of [
      ['jobs', jobs],
      ['club', club],
    ] as const) {
      const email = `${form}@example.com`;
      const request = post({ ...hostile, email, custom_fields }, { origin });
      expect((await relay.fetch(to(form, request))).status).toBe(202);
      const arrived = await waitUntil('it is sent', () => api.received.find((each) => each['email'] === email) ?? null);
      const { publication, pinned, field } = expected[form];
      expect(paths.at(-1)).toContain(`/publications/${publication}/`);
      expect(arrived).toEqual({ email, custom_fields: [field], ...pinned });
    }
  });

  it('refuses posts from the origins of another form', async () => {
    const relay = severalForms();
    const status = async (form: string, origin: string): Promise<number> =>
      (await relay.fetch(to(form, post({ email: 'ada@example.com' }, { origin })))).status;
    expect([await status('jobs', jobs), await status('club', club)]).toEqual([202, 202]);
    expect([await status('jobs', club), await status('club', jobs)]).toEqual([403, 403]);
    const preflight = await relay.fetch(
      new Request('http://relay.example/signup/club', { method: 'OPTIONS', headers: { origin: jobs } }),
    );
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  it('serves /signup only for a form named default', async () => {
    const relay = severalForms();
    for (const path of [
      '/signup',
      '/signup/default',
      '/signup/nobody',
      '/signup/constructor',
      '/signup/__proto__',
      '/signup/jobs/x',
    ]) {
      expect(
        (
          await relay.fetch(
            new Request(`http://relay.example${path}`, post({ email: 'ada@example.com' }, { origin: jobs })),
          )
        ).status,
        path,
      ).toBe(404);
    }
    expect((await runRelay().fetch(to('default', post({ email: 'ada@example.com' })))).status).toBe(202);
  });

  it('reports a post to none of them without the name of a form, and lets no script read its answer', async () => {
    const events: RelayEvent[] = [];
    const relay = severalForms({ onEvent: (event) => void events.push(event) });
    const answer = await relay.fetch(post({ email: 'ada@example.com' }, { origin: jobs }));
    expect(events).toEqual([{ type: 'refused', form: null, status: 404, codes: ['NOT_FOUND'] }]);
    expect(answer.headers.has('access-control-allow-origin')).toBe(false);
  });
});
