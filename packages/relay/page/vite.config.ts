import { pagesConfig } from '@newsletter-kit/pages/vite';

/** The relay serves the page at `/operator`, or below the path of a proxy: its files are named relative to the page. */
export default pagesConfig({ folder: import.meta.dirname, urlPrefix: 'operator/' });
