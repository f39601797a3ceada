/** What the layouts beyond `inline` need: in the npm build fetched when one of them is chosen. */
import { html } from 'lit';
import type { Dialog, DialogHost } from './dialog.ts';
import { parts } from './parts.ts';
import { surfaceStyles } from './surface.styles.ts';
import { consent } from './visits.ts';
import { oneOf } from './warn.ts';

/**
 * Gives a form the looks of its layout, and warns of one there is not: that looks like the first.
 *
 * @param dialog - the form's dialog, where it was one before
 */
export async function dress(host: DialogHost, dialog: Dialog | undefined): Promise<Dialog | undefined> {
  const sheets = host.shadowRoot?.adoptedStyleSheets ?? [];
  if (!sheets[1]) sheets.push(surfaces());
  host.layout = oneOf(host, 'layout', host.layout, 'inline', 'stacked', 'card', 'dialog');
  if (host.layout === 'dialog') return dialog ?? (await parts.dialog()).createDialog(host, html, () => consent, oneOf);
  dialog?.stop();
  return dialog;
}

function surfaces(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(surfaceStyles);
  return sheet;
}
