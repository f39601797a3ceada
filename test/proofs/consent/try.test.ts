import { it } from 'vitest';
import { explore } from './explore.ts';
it('tries', async () => {
  for (const depth of [1, 2, Number(process.env['D'] ?? 2)]) console.log(JSON.stringify(await explore(depth), null, 1));
});
