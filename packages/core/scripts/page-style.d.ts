/** The text of `src/endpoint/page-style.ts`. */
export declare function writePageStyle(): string;
/** Removes comments and needless white space. No string of these stylesheets holds either. */
export declare function compact(css: string): string;
