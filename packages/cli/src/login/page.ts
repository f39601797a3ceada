/** What the browser shows when it has come back. */

/** @param title - plain text, as is `text` */
export function closingPage(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark; }
body { margin: 15vh auto 0; max-width: 26rem; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
</style>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</html>
`;
}
