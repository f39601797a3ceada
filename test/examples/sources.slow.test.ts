import { expect, it } from 'vitest';
import { createSite } from '../../examples/demo/site.ts';

it('shows a report on sources in which the days after the signup are known', async () => {
  const site = createSite({ sandboxUrl: 'http://127.0.0.1:9', signupEndpoint: 'http://127.0.0.1:9/signup' });
  const answer = await site.request('/sources');
  expect(answer.headers.get('content-type')).toContain('text/html');
  const page = await answer.text();
  expect(page).toContain('After 90 days');
  expect(page).toMatch(/Readers from <bdi>friend<\/bdi> stay most: .*Readers from <bdi>giveaway<\/bdi> stay least/);
});
