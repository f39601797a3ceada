/** What the search finds a page by beside its text; Pagefind reads it from the head of the page. */

/**
 * The search requires every word of a query. These make a question, such as “how can I change the text of the button”,
 * find what its other words find.
 */
const ofQuestions =
  'a am an and any are as at be by can cannot could do does for from get have how i if in into is it me my need not of on one or our should so some that the there this to use want we what when where which who why will with without work works you your';

/** Of the page that Starlight renders, what is used here. */
interface Rendered {
  readonly starlightRoute: {
    readonly entry: { readonly data: { readonly keywords?: string; readonly description?: string } };
    readonly head: { readonly tag: 'meta'; readonly attrs: Readonly<Record<string, string>> }[];
  };
}

/** Starlight calls this for each page. */
export function onRequest({ locals }: { readonly locals: Rendered }): void {
  const { entry, head } = locals.starlightRoute;
  const { keywords, description } = entry.data;
  for (const [name, content] of Object.entries({ keywords, summary: description, question: ofQuestions }))
    if (content !== undefined)
      head.push({ tag: 'meta', attrs: { name, content, 'data-pagefind-meta': `${name}[content]` } });
}
