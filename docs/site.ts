/** Addresses and folders of the site, its pages and the repository. */
import { dirname, join } from 'node:path';

/** The folder of the repository. */
export const root = dirname(import.meta.dirname);
/** The folder of the pages. */
export const content = join(import.meta.dirname, 'src', 'content', 'docs');
/** The folder of the pages that are not Markdown, such as the playground. */
export const pages = join(import.meta.dirname, 'src', 'pages');
export const site = 'https://newsletter-kit.github.io';
export const repository = 'https://github.com/newsletter-kit/newsletter-kit';
export { base } from './src/base.ts';
