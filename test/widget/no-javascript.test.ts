/**
 * Visitors without JavaScript: the browser posts the form of a snippet to a real relay, which redirects to the thanks.
 * `no-javascript.slow.test.ts` has every platform, layout and theme.
 */
import { expect, it } from 'vitest';
import { fillInAndPost, withoutScript } from './native-post.ts';
import { everyKind, layouts, listAndDate, sentHtml, setupOf } from './snippets.ts';
import { setStage } from './stage.ts';

const stage = setStage();

it('the snippets of all layouts are forms that the relay takes', async () => {
  const { page, relay, show } = await withoutScript(stage());
  for (const layout of layouts) {
    for (const fields of [[], listAndDate]) {
      const name = `${layout}-${fields.length}`;
      const html = await sentHtml(setupOf(layout, { fields, values: { 'attribute.endpoint': relay.endpoint } }));
      await show(`/${name}`, html);
      await fillInAndPost(page, `${name}@example.com`);
      expect(page.url(), name).toBe(relay.thanks);
    }
  }
  expect(await relay.subscription('card-2@example.com')).toMatchObject({
    custom_fields: expect.arrayContaining([
      expect.objectContaining({ name: 'Topics', value: ['boats', 'engineering', 'food', 'history'] }),
      expect.objectContaining({ name: 'Birthday', value: '2026-03-01' }),
    ]) as unknown,
  });
});

it('each kind of field has a control of its own', async () => {
  const { page, relay, show } = await withoutScript(stage());
  const answers: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') answers.push(request.postData());
  });
  for (const mode of ['own', 'enhance'] as const) {
    const html = await sentHtml(
      setupOf('card', { mode, fields: everyKind, values: { 'attribute.endpoint': relay.endpoint } }),
    );
    await show(`/${mode}`, html);
    await fillInAndPost(page, `${mode}@example.com`);
    expect(page.url()).toBe(relay.thanks);
    expect([...new URLSearchParams(answers.pop())]).toEqual([
      ['email', `${mode}@example.com`],
      ['custom_fields[First name]', 'Ada'],
      ['custom_fields[Rhythm]', 'Weekly'],
      ...['boats', 'engineering', 'food', 'history'].map((topic) => ['custom_fields[Topics][]', topic]),
      ['custom_fields[Country]', 'Italy'],
      ['custom_fields[Likes]', 'Ada'],
      ['custom_fields[Age]', '42'],
      ['custom_fields[Height]', '1.5'],
      ['custom_fields[Born]', '2026-03-01'],
      ['custom_fields[Call me]', '2026-03-01T17:30'],
      ['custom_fields[Printed]', 'true'],
      ['custom_fields[Source]', 'footer'],
      ['consent', 'I have read the privacy notice.'],
    ]);
  }
});
