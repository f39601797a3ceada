/** The folder of the repository. */
export declare const root: string;
/** The folder of the pages. */
export declare const content: string;
/** The folder of the pages that are not Markdown, such as the playground. */
export declare const pages: string;
export declare const site = 'https://newsletter-kit.github.io';
export declare const repository = 'https://github.com/newsletter-kit/newsletter-kit';
export { base } from './src/base.ts';
