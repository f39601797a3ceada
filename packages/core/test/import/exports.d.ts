/**
 * Exports of services in their published layouts, with made-up people: who may get mails, and who stays out and why. A
 * row each; a test walks them through every reader.
 */
/** A file as a service writes it. */
export interface ExportFixture {
    readonly service: string;
    readonly file: string;
    readonly text: string;
    /** Addresses of those who may get mails. */
    readonly stays: readonly string[];
    /** Kind and reason of the others, in the order of their rows. */
    readonly out: readonly (readonly [address: string, kind: 'left' | 'unconfirmed' | 'unclear', reason: string])[];
}
export declare const exportFixtures: readonly ExportFixture[];
/** Headings that look like consent and are something else, each with a value; none stops an import. */
export declare const innocentColumns: Readonly<Record<string, string>>;
/** Headings that may speak of consent and do not say how; each stops an import until the user says it. */
export declare const doubtfulColumns: string[];
