/**
 * Visits that end with a signup: what the tag sends, and what Google Analytics 4, Plausible and Ghost make of the same
 * visits by their published rules. Data for the tests of core and of the tag, and for the tables in the documentation.
 * The site is https://example.com; the last page has the form.
 */
import { arrivals } from './arrivals.ts';
import { campaigns } from './campaigns.ts';
import type { History } from './types.ts';

export { links } from './links.ts';
export { roads } from './roads.ts';
export { sources, type Link, type Sent, type Step } from './types.ts';

/** The rows of the table. */
export const histories: readonly History[] = [...arrivals, ...campaigns];
