/** What pages are made of. The stylesheets are `@newsletter-kit/pages/base.css` and `document.css`. */
export * from './components.ts';
export * from './elements.ts';
export * from './format.ts';
