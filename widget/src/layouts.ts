/** What the layouts beyond `inline` need: in the npm build fetched when one of them is chosen. */
import { adoptStyles } from 'lit';
import type { Dialog, DialogHost } from './dialog.ts';
import { styles } from './newsletter-signup.styles.ts';
import { createDialog } from './parts.ts';
import { surfaceStyles } from './surface.styles.ts';
import { oneOf } from './warn.ts';

/**
 * Gives a form the looks of its layout, and warns of one there is not: that looks like the first.
 *
 * @param dialog - the form's dialog, where it was one before
 */
export async function dress(host: DialogHost, dialog: Dialog | undefined): Promise<Dialog | undefined> {
  if (host.shadowRoot) adoptStyles(host.shadowRoot, [styles, surfaceStyles()]);
  host.layout = oneOf(host, 'layout', host.layout, 'inline', 'stacked', 'card', 'dialog');
  if (host.layout === 'dialog') return dialog ?? (await createDialog(host));
  dialog?.stop();
  return dialog;
}
