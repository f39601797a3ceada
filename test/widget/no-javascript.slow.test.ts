/** Every snippet of the playground without JavaScript: platforms, layouts, fields and themes. */
import { expect, it } from 'vitest';
import { fillInAndPost, relayFor } from './native-post.ts';
import { layouts, listAndDate, platformNames, sentHtml, setupOf } from './snippets.ts';
import { setStage } from './stage.ts';

const stage = setStage();

it.each(platformNames)('each form for %s is posted, and the relay takes it', async (platform) => {
  const { site, session } = stage();
  const relay = await relayFor(site);
  const page = await session.browser.newPage();
  await page.setJavaScriptEnabled(false);
  for (const layout of layouts) {
    for (const theme of ['', 'harbor']) {
      for (const fields of [[], listAndDate]) {
        const name = [platform, layout, theme, fields.length].join('-');
        const html = await sentHtml(
          setupOf(layout, { platform, theme, fields, values: { 'attribute.endpoint': relay.endpoint } }),
        );
        const content = `<!doctype html><meta charset="utf-8"><title>A page</title>${html}`;
        await page.goto(site.page(`/${name}`, { html: content }));
        await fillInAndPost(page, `${name}@example.com`);
        expect(page.url(), name).toBe(relay.thanks);
      }
    }
  }
});
