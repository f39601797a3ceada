import { pagesConfig } from '@newsletter-kit/pages/vite';

export default pagesConfig({ folder: import.meta.dirname, urlPrefix: '/page/' });
