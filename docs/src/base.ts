/** The path of the site on its host. */
export const base = '/newsletter-kit';
