/** Bulk Import in n8n: thousands of items, some invalid, and spreadsheets of other services. */
import { expect } from 'vitest';
import { exportFixtures } from '../support/exports.ts';
import { importRows, mappedManually, mistakes } from '../nodes/importMistakes.ts';
import { items, newsletterType, start } from './harness/nodes.ts';
import { n8n, test, underTest } from './harness/test.ts';

const parameters = { resource: 'subscription', operation: 'bulkImport', options: { allowLargeImport: true } };

test.override({ sandboxOptions: { seed: 'demo', profile: 'unlimited' } });

test('sends the invalid ones of 3,000 rows to the error output, each with its input and the reason', async ({
  sandboxOnPort,
  runNode,
}) => {
  for (const [way, mapping] of [
    ['automatically', {}],
    ['manually', mappedManually],
  ] as const) {
    const rows = importRows(
      3_000,
      mistakes.filter((mistake) => mistake[way] !== undefined),
    );
    const run = await runNode({
      parameters: {
        ...parameters,
        ...mapping,
        options: {
          ...parameters.options,
          nobodyLeftBy: 'Wants print, Birthday, Last visit, Topics, Berth length, first_name',
        },
      },
      items: rows.map(({ row }) => row),
      settings: { onError: 'continueErrorOutput' },
      within: 120_000,
    });
    expect(run.error).toBeUndefined();
    const bad = rows.filter(({ mistake }) => mistake !== undefined);
    // Addresses are unique, so these are the imported rows.
    const imported = new Set(run.output(underTest).map(({ email }) => email));
    expect(
      rows
        .filter(({ row, mistake }) => imported.has(row['E-Mail']) === (mistake !== undefined))
        .map(({ mistake }) => mistake),
      way,
    ).toEqual([]);
    expect(run.output(underTest)).toHaveLength(rows.length - bad.length);
    expect(new Set(run.output(underTest).map(({ import_status }) => import_status))).toEqual(new Set(['accepted']));
    const errors = run.errors(underTest);
    expect(errors).toHaveLength(bad.length);
    const wrong = bad.flatMap(({ row, mistake }, index) => {
      const { error, ...input } = errors[index] ?? {};
      const fits = String(error).startsWith(mistake?.[way] ?? '') && JSON.stringify(input) === JSON.stringify(row);
      return fits ? [] : [{ index, mistake: mistake?.name, error, input }];
    });
    expect(wrong).toEqual([]);
    expect(run.hints(underTest)).toEqual([expect.stringContaining('They are at the error output')]);
  }
  expect(sandboxOnPort.requests().filter(({ operation }) => operation === 'subscriptions.bulkCreate')).toHaveLength(6);
});

test.for(['Mailchimp', 'Ghost', 'Brevo'])(
  'imports a spreadsheet of %s without an option, and nobody who has left',
  async (service, { sandboxOnPort, api, credentials }) => {
    const fixture = exportFixtures.find((each) => each.service === service && each.stays.length > 0);
    if (fixture === undefined) throw new Error('There is no such export.');
    const run = await n8n.run(
      await n8n.createWorkflow([
        start,
        ...items([{ text: fixture.text }]),
        {
          name: 'File',
          type: 'n8n-nodes-base.convertToFile',
          typeVersion: 1.1,
          parameters: { operation: 'toText', sourceProperty: 'text', options: { fileName: fixture.file } },
        },
        {
          name: 'Spreadsheet',
          type: 'n8n-nodes-base.extractFromFile',
          typeVersion: 1,
          parameters: {
            operation: 'csv',
            binaryPropertyName: 'data',
            options: fixture.text.startsWith('EMAIL;') ? { delimiter: ';' } : {},
          },
        },
        {
          name: underTest,
          type: newsletterType,
          parameters: { resource: 'subscription', operation: 'bulkImport' },
          credentials,
        },
      ]),
      start.name,
    );
    expect(run.error).toBeUndefined();
    const output = run.output(underTest);
    const of = (accepted: boolean) =>
      output.flatMap(({ email, import_status }) => ((import_status === 'accepted') === accepted ? [email] : []));
    expect(of(true)).toEqual(fixture.stays);
    expect(of(false)).toEqual(fixture.out.map(([email]) => email));
    sandboxOnPort.clock.advance('PT1H');
    for (const [email] of fixture.out) expect((await api.subscriptions.list({ email })).items).toEqual([]);
    for (const email of fixture.stays) expect((await api.subscriptions.list({ email })).items).toHaveLength(1);
  },
);
