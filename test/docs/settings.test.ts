/** A setting of the relay is one entry: reference, variable, file, type and errors follow from it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import { formSettings } from '../../packages/relay/src/config/form.ts';
import { group, setting, type ValueOf } from '../../packages/relay/src/config/setting.ts';
import { oneOf } from '../../packages/relay/src/config/values.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const greeting = setting('RELAY_GREETING', oneOf('warm', 'cold').prefault('warm'), 'How visitors are greeted');
const extended = group({ ...formSettings.members, greeting });

/** Each test reads the settings anew, with one more; what imports them later finds it. */
beforeEach(async () => {
  vi.resetModules();
  const { formSettings: fresh } = await import('../../packages/relay/src/config/form.ts');
  Object.assign(fresh, group({ ...fresh.members, greeting }));
  onTestFinished(() => void vi.resetModules());
});

/** Reads a file with a form, beside what every relay needs. */
async function readForm(form: string, variables: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const { readConfig } = await import('@newsletter-kit/relay');
  const file = join(scratchFolder(), 'relay.yaml');
  writeFileSync(file, `forms:\n  jobs:\n    ${form}\n`);
  return readConfig({
    NEWSLETTER_API_URL: 'http://127.0.0.1:9/v2',
    NEWSLETTER_API_KEY: 'sandbox-key',
    NEWSLETTER_PUBLICATION_ID: 'pub_00000000-0000-4000-8000-000000000001',
    RELAY_ALLOWED_ORIGINS: 'https://shop.example',
    RELAY_CONFIG: file,
    ...variables,
  }).forms['jobs'];
}

it('has its row in the reference', async () => {
  const { settingsPage } = await import('../../docs/reference/relay.ts');
  expect(settingsPage().body).toContain('| `RELAY_GREETING`<br>`greeting` | How visitors are greeted. | `warm` |');
});

it('is read from the environment and from a file, with its default and its type', async () => {
  expect(await readForm('tier: free')).toHaveProperty('greeting', 'warm');
  expect(await readForm('tier: free', { RELAY_GREETING: 'cold' })).toHaveProperty('greeting', 'cold');
  expect(await readForm('greeting: cold')).toHaveProperty('greeting', 'cold');
  expectTypeOf<ValueOf<typeof extended>['greeting']>().toEqualTypeOf<'warm' | 'cold'>();
});

it.each([
  ['tier: free', { RELAY_GREETNG: 'cold' }, 'RELAY_GREETNG is not a setting (is RELAY_GREETING meant?).'],
  ['greetings: cold', {}, 'line 3: there is no setting "forms.jobs.greetings" (is "greeting" meant?).'],
  ['greeting: loud', {}, 'line 3: "forms.jobs.greeting" must be warm or cold.'],
])('is named by the error for %j with %j', async (form, variables, sentence) => {
  await expect(readForm(form, variables)).rejects.toThrow(sentence);
});
