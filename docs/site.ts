/** Where the site, its pages and the repository are. */
import { dirname, join } from 'node:path';

/** The folder of the repository. */
export const root = dirname(import.meta.dirname);
/** The folder of the pages. */
export const content = join(import.meta.dirname, 'src', 'content', 'docs');
export const repository = 'https://github.com/newsletter-kit/newsletter-kit';
/** The path of the site on its host. */
export const base = '/newsletter-kit';
