/** The path of the site on its host. */
export declare const base = '/newsletter-kit';
