/** React takes over a snippet that a server has rendered, after the element has: the markup is as it expects. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { formSnippet, layouts, listAndDate, sentHtml, setupOf, sheet } from './snippets.ts';
import { setStage } from './stage.ts';

const stage = setStage();
let folder = '';
beforeAll(async () => {
  // Where React is found.
  folder = await mkdtemp(join(root, 'test/node_modules/.hydration-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each(layouts)('with the layout %s', async (layout) => {
  const { site, session, origin } = stage();
  const setup = setupOf(layout, {
    platform: 'react',
    fields: layout === 'inline' ? [] : listAndDate,
    values: { 'attribute.endpoint': `${origin}/signup/hydration-${layout}/accepted` },
  });
  await writeFile(join(folder, 'SignupForm.jsx'), formSnippet(setup));
  await writeFile(
    join(folder, 'main.jsx'),
    `import { hydrateRoot } from 'react-dom/client';
    import { SignupForm } from './SignupForm.jsx';
    globalThis.hydrate = () => hydrateRoot(document.querySelector('main'), <SignupForm />);`,
  );
  await build({
    configFile: false,
    root: folder,
    logLevel: 'error',
    // React complains in development only.
    mode: 'development',
    define: { 'process.env.NODE_ENV': '"development"' },
    build: { outDir: 'out', lib: { entry: 'main.jsx', formats: ['es'], fileName: () => 'main.js' } },
  });
  const out = join(folder, 'out');
  for (const file of await readdir(out)) {
    const code = await readFile(join(out, file), 'utf8');
    site.script(`/${layout}/${file}`, code);
  }

  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,">${sheet}
    <main>${(await sentHtml(setup)).replace(`${sheet}\n`, '')}</main><script type="module" src="/${layout}/main.js"></script></html>`;
  const { page, complaints } = await session.open(site.page(`/${layout}`, { html }));
  const selector = layout === 'dialog' ? 'dialog' : '[part=surface]';
  await page.waitForFunction(`document.querySelector('newsletter-signup').shadowRoot?.querySelector('${selector}')`);
  await page.evaluate(`new Promise((resolve) => {
    hydrate();
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
  })`);
  expect(complaints).toEqual([]);
});
