import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@newsletter-kit/core';
import { test, type SandboxOnPort } from '@newsletter-kit/sandbox/vitest';
import { expect } from 'vitest';
import { events, run } from './command.ts';
import { scratchFolder } from '../../../test/support/scratch-folder.ts';

/** Three sources: one of 30 whose readers stay, one of 25 of which five leave, one of three. */
async function publication(sandbox: SandboxOnPort) {
  const client = createClient(sandbox.clientOptions);
  const signUp = async (count: number, utm_source: string) => {
    for (let index = 0; index < count; index++)
      await client.subscriptions.create({
        email: `${utm_source.replaceAll(/\W/g, '')}${index}@example.com`,
        utm_source,
        utm_medium: 'email',
        referring_site: 'https://www.blog.example/post',
        double_opt_override: 'off',
      });
  };
  await signUp(30, 'blog');
  await signUp(25, '=HYPERLINK("http://x.example")');
  await signUp(3, 'fair');
  sandbox.clock.advance('PT30S');
  const leavers = [];
  for await (const { id, utm_source: source } of client.subscriptions.list({ limit: 100 }))
    if (source?.startsWith('=') && leavers.length < 5) leavers.push(id);
  await client.subscriptions.updateStatus({ subscription_ids: leavers, new_status: 'inactive' });
  sandbox.clock.advance('PT30S');
  return { client, leavers };
}

test('prints a table of 80 columns', async ({ sandboxOnPort: sandbox }) => {
  await publication(sandbox);
  const { code, stdout, stderr } = await run(['report', 'sources'], sandbox.env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('@') });
  expect(stdout).not.toContain('@');
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(stdout.replaceAll(/\d{4}-\d\d-\d\d/g, 'DATE')).toMatchInlineSnapshot(`
    "                                Signed    Con-       Still
    Source                              up  firmed       there
    ──────────────────────────────────────────────────────────
    blog                                30   100 %  100 88–100
    =HYPERLINK("http://x.example")      25   100 %    80 60–92
    (1 under 20 people)                  3       –           –
    ──────────────────────────────────────────────────────────
    All                                 58   100 %    91 81–97

    58 people signed up from DATE to DATE; read on DATE.
    Shares in percent, with their 95 % interval. –: known of fewer than 20 people.
    Who was still there after 7, 30 and 90 days cannot be known without a history:
    the API does not tell when somebody left. Run newsletter watch --history FILE.
    "
  `);
});

test('writes CSV without formulas, and JSON', async ({ sandboxOnPort: sandbox }) => {
  await publication(sandbox);
  const folder = scratchFolder();
  const [csv, json] = [join(folder, 'sources.csv'), join(folder, 'sources.json')];
  expect(await run(['report', 'sources', csv], sandbox.env)).toMatchObject({
    code: 0,
    stdout: `Reported 58 subscriptions to ${csv}.\n`,
  });
  const lines = readFileSync(csv, 'utf8').split('\r\n');
  expect(lines[0]).toMatch(/^source,kind,values,signed_up,invalid,confirmed,confirmed_low,/);
  expect(lines[2]).toMatch(/^"'=HYPERLINK\(""http:\/\/x\.example""\)",value,1,25,0,1,0\.8668,1,0\.8,/);
  expect(lines[3]).toMatch(/^,small,1,3,0,,,,,/);
  await run(['report', 'sources', json], sandbox.env);
  const printed = await run(['report', 'sources', '--format', 'json', '--by', 'week'], sandbox.env);
  for (const text of [readFileSync(json, 'utf8'), printed.stdout])
    expect(JSON.parse(text)).toMatchObject({
      minimum: 20,
      total: { kind: 'all', signedUp: 58 },
      cohorts: { referring_site: [{ name: 'blog.example', signedUp: 58 }] },
    });
});

test('writes a page with the name of the publication, or with its id', async ({ sandboxOnPort: sandbox }) => {
  await publication(sandbox);
  const page = join(scratchFolder(), 'sources.html');
  await run(['report', 'sources', page], sandbox.env);
  const named = readFileSync(page, 'utf8');
  sandbox.faults.add({ match: 'publications.list', effect: { status: 404 } });
  const { code, stdout } = await run(['report', 'sources', '--format', 'html'], sandbox.env);
  expect(code).toBe(0);
  for (const html of [named, stdout]) expect(html).toContain('58 people signed up');
  expect(named).not.toMatch(/<title>[^<]*pub_/);
  expect(stdout).toMatch(/<title>[^<]*pub_/);
});

test('prints an event with --json, and opens and clicks with --stats', async ({ sandboxOnPort: sandbox }) => {
  await publication(sandbox);
  const { stdout } = await run(['report', 'sources', '--json', '--stats'], sandbox.env);
  expect(events(stdout).at(-1)).toMatchObject({ type: 'report', report: { total: { signedUp: 58 } } });
  expect(Object.values(sandbox.requests().at(-1)?.query ?? {})).toContain('stats');
});

test('says so where there are no subscriptions', async ({ sandboxOnPort: sandbox }) => {
  expect(await run(['report', 'sources'], sandbox.env)).toMatchObject({
    code: 0,
    stdout: 'There are no subscriptions.\n',
  });
});

test('keeps a history of leavings, from which the report tells who stayed', async ({ sandboxOnPort: sandbox }) => {
  const { client, leavers } = await publication(sandbox);
  const folder = scratchFolder();
  const [state, history] = [join(folder, 'watch.json'), join(folder, 'history.ndjson')];
  const watch = async () => run(['watch', '--once', '--state', state, '--history', history], sandbox.env);
  expect(await watch()).toMatchObject({ code: 0, stdout: '' });
  sandbox.clock.advance('PT30S');
  await client.subscriptions.updateStatus({ subscription_ids: leavers.slice(0, 1), new_status: 'active' });
  const others = (await client.subscriptions.list({ limit: 100 })).items.filter(({ status }) => status === 'active');
  const [one] = others.filter(({ id }) => !leavers.includes(id));
  await client.subscriptions.updateStatus({ subscription_ids: [one?.id ?? ''], new_status: 'inactive' });
  sandbox.clock.advance('PT30S');
  expect(await watch()).toMatchObject({ code: 0, stdout: '' });

  expect(statSync(history).mode & 0o777).toBe(0o600);
  const text = readFileSync(history, 'utf8');
  expect(text).not.toContain('@');
  const [first, ...lines] = events(text);
  expect(first).toMatchObject({ history: 1, of: expect.stringContaining('/v2 pub_'), since: expect.any(String) });
  expect(lines).toHaveLength(2);
  expect(lines).toEqual(
    expect.arrayContaining([
      { id: leavers[0], returned: expect.any(String) },
      { id: one?.id, left: expect.any(String) },
    ]),
  );
  // The service's clock goes on, and so does the history.
  const until = new Date(Date.now() + 95 * 86_400_000).toISOString();
  appendFileSync(history, `{"until":"${until}"}\nnonsense\n{"id":"sub_cut`);
  const report = await run(['report', 'sources', '--by', 'medium', '--history', history], sandbox.env);
  expect(report.stderr).toContain(`${history}: one line could not be read and is ignored.`);
  for (const line of report.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(report.stdout.replaceAll(/\d{4}-\d\d-\d\d/g, 'DATE')).toMatchInlineSnapshot(`
    "        Signed    Con-     Still     After     After     After
    Medium      up  firmed     there    7 days   30 days   90 days
    ──────────────────────────────────────────────────────────────
    email       58   100 %  91 81–97  91 81–97  91 81–97  91 81–97
    ──────────────────────────────────────────────────────────────
    All         58   100 %  91 81–97  91 81–97  91 81–97  91 81–97

    58 people signed up from DATE to DATE; read on DATE.
    Shares in percent, with their 95 % interval. –: known of fewer than 20 people.
    After some days: of those for whom that day lies in the history, which began
    on DATE. Who left before is not known to the day.
    "
  `);

  // The watch removes the line that was cut off, and goes on.
  const since = () => events(readFileSync(history, 'utf8').replace('nonsense\n', '')).filter((each) => 'since' in each);
  expect(await watch()).toMatchObject({ code: 0 });
  expect(readFileSync(history, 'utf8')).not.toContain('sub_cut');
  expect(since()).toHaveLength(1);
  // A watch without the history may have seen leavings that are not in it: it begins anew.
  await run(['watch', '--once', '--state', state, '--events', 'status_changed'], sandbox.env);
  await watch();
  expect(since()).toHaveLength(2);
});

test('refuses a file that is no history, and one of another publication', async ({ sandboxOnPort: sandbox }) => {
  const folder = scratchFolder();
  const [state, file] = [join(folder, 'watch.json'), join(folder, 'file')];
  const both = [
    ['report', 'sources', '--history', file],
    ['watch', '--once', '--state', state, '--history', file],
  ];
  for (const [content, problem] of [
    ['email\nada@example.com\n', 'this is no history of newsletter watch'],
    ['email', 'this is no history of newsletter watch'],
    ['{"history":1,"of":"elsewhere","since":"2026-01-01T00:00:00Z"}\n', 'this is the history of elsewhere, not of'],
  ] as const) {
    writeFileSync(file, content);
    for (const args of both) {
      const { code, stderr } = await run(args, sandbox.env);
      expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining(problem) });
    }
    expect(readFileSync(file, 'utf8')).toBe(content);
  }
  rmSync(file);
  expect((await run(both[0] ?? [], sandbox.env)).stderr).toContain('there is no such file. newsletter watch --history');
  // The first line was cut off by a crash.
  writeFileSync(file, '{"history":1,"of":"http');
  expect(await run(both[1] ?? [], sandbox.env)).toMatchObject({ code: 0 });
  expect(events(readFileSync(file, 'utf8'))).toHaveLength(1);
});
