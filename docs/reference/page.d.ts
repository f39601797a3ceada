/** A page below `reference/`. */
export interface Page {
    /** File name without its ending. */
    readonly name: string;
    /** Default: `md`. `mdx` can contain components. */
    readonly format?: 'md' | 'mdx';
    readonly title: string;
    readonly description: string;
    /** What the page is generated from, from the root of the repository: the target of "Edit page". */
    readonly source: string;
    /** Markdown. */
    readonly body: string;
}
/** The file of a page: its frontmatter, and its place in the sidebar. */
export declare function writePage({ title, description, source, body }: Page, order: number): string;
/** A table. Cells are Markdown; line breaks and bars in them are written so that the row stays one. */
export declare function table(head: readonly string[], rows: readonly (readonly string[])[]): string;
/** Text as inline code. */
export declare const code: (text: string) => string;
/** Texts as inline code, with commas between them; a dash where there are none. */
export declare const codes: (texts: readonly string[]) => string;
/** The anchor of a heading, as the site makes it. */
export declare const anchorOf: (heading: string) => string;
/** The relative links of a text from another folder, as they are from a page below `reference/`. */
export declare function relink(text: string, folder: string): string;
