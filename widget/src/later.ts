/**
 * What a page needs only once its visitor begins to type. In the npm build a file of its own, fetched when the focus comes
 * into a form; where it does not arrive, the browser posts the form by itself. The script has everything in one file: it
 * takes `at-once.ts` in place of this one.
 */
import type * as signup from './signup.ts';

export const later = (): Promise<typeof signup> => import('./signup.ts');
