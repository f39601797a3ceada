import { afterEach, expect, it, vi } from 'vitest';
import { createSite } from '../../examples/demo/site.ts';
import { renderSources } from '../../examples/demo/sources.ts';

vi.mock('../../examples/demo/sources.ts', () => ({ renderSources: vi.fn() }));
afterEach(() => vi.restoreAllMocks());

it('renders the report on sources again after a failure, and then keeps it', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.mocked(renderSources).mockRejectedValueOnce(new Error('No memory is left.')).mockResolvedValue('<h1>Sources</h1>');
  const site = createSite({ sandboxUrl: 'http://127.0.0.1:9', signupEndpoint: 'http://127.0.0.1:9/signup' });
  expect((await site.request('/sources')).status).toBe(500);
  for (let request = 0; request < 2; request += 1)
    expect(await (await site.request('/sources')).text()).toBe('<h1>Sources</h1>');
  expect(renderSources).toHaveBeenCalledTimes(2);
});
