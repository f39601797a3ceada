/** Every snippet of the playground without JavaScript: platforms, layouts, fields and themes. */
import { expect, it } from 'vitest';
import { fillInAndPost, withoutScript } from './native-post.ts';
import { layouts, listAndDate, platformNames, sentHtml, setupOf } from './snippets.ts';
import { setStage } from './stage.ts';

const stage = setStage();

it.each(platformNames)('each form for %s is posted, and the relay takes it', async (platform) => {
  const { page, relay, show } = await withoutScript(stage());
  for (const layout of layouts) {
    for (const theme of ['', 'harbor']) {
      for (const fields of [[], listAndDate]) {
        const name = [platform, layout, theme, fields.length].join('-');
        const html = await sentHtml(
          setupOf(layout, { platform, theme, fields, values: { 'attribute.endpoint': relay.endpoint } }),
        );
        await show(`/${name}`, html);
        await fillInAndPost(page, `${name}@example.com`);
        expect(page.url(), name).toBe(relay.thanks);
      }
    }
  }
});
