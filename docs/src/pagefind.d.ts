/** What `search.ts` uses of Pagefind's script, which the build writes. */
declare module '*/pagefind.js?all-words' {
  export interface Result {
    readonly id: string;
    readonly score: number;
  }
  export interface Found {
    readonly results: readonly Result[];
    readonly unfilteredResultCount: number;
  }
  export function search(query: string | null, options?: object): Promise<Found>;
}
