/** The components of pages. The style sheets are `@newsletter-kit/pages/base.css` and `document.css`. */
export * from './components.ts';
export * from './elements.ts';
export * from './format.ts';
