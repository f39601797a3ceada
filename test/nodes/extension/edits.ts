/**
 * The hand-written part of a new endpoint: the list of premium tiers and one tier, which the specification does not
 * have. CONTRIBUTING.md, "Add an endpoint", describes these steps.
 */

/** Text to insert into a file of the repository. */
export interface Edit {
  readonly path: string;
  /** The unique text before which to insert; left out for the end of the file. */
  readonly before?: string;
  readonly text: string;
}

const contract: readonly Edit[] = [
  {
    path: 'packages/core/src/contract/content.ts',
    before: '] as const satisfies readonly Operation[];',
    text: `  {
    ...read,
    id: 'tiers.list',
    path: '/publications/{publicationId}/tiers',
    scope: 'publications:read',
    query: ['limit', 'page'],
    expand: [],
    errors: errorsWithForbidden,
    pagination: 'offset',
    extension: true,
    doc: 'List premium tiers',
  },
  {
    ...read,
    id: 'tiers.get',
    path: '/publications/{publicationId}/tiers/{tierId}',
    scope: 'publications:read',
    query: [],
    expand: [],
    errors: errorsWithForbidden,
    pagination: 'none',
    extension: true,
    doc: 'Read one premium tier',
  },
`,
  },
];

const words: readonly Edit[] = [
  {
    path: 'packages/core/src/contract/words/content.ts',
    before: "  'advertisementOpportunities.list': {",
    text: `  'tiers.list': {
    description: 'Lists the premium tiers of a publication. An extension: a service may lack it and answer 404.',
    returns: 'Premium tiers, page by page.',
    section: 'None',
    parameters: { publicationId, limit, page },
  },
  'tiers.get': {
    description: 'Reads one premium tier. An extension: a service may lack it and answer 404.',
    returns: 'The premium tier.',
    section: 'None',
    parameters: { publicationId, tierId: { text: 'Prefixed ID of the premium tier, \`tier_<uuid>\`.' } },
    example: "{ tierId: 'tier_00000000-0000-4000-8000-000000000001' }",
  },
`,
  },
  {
    path: 'packages/core/src/contract/words/content.ts',
    before: "  'complimentaryAccess.get': ['The record is not shown",
    text: `  'tiers.list': ['The operation is not in the specification; taken from the API reference of a service.'],
  'tiers.get': ['The operation is not in the specification; as tiers.list.'],
`,
  },
  {
    path: 'packages/core/src/contract/words/index.ts',
    before: '  publicationFields: {',
    text: "  tiers: { title: 'Tiers', description: 'The premium tiers of a publication. An extension.' },\n",
  },
];

const schema: readonly Edit[] = [
  {
    path: 'packages/core/src/schema/content.ts',
    text: `
export const tierQuery = shape.request(words['tiers.list'].parameters, { limit: shape.limit, page: shape.page });
export const tierList = shape.offsetList(tier);
export const oneTier = shape.enveloped(tier, 'The premium tier.');
`,
  },
  {
    path: 'packages/core/src/schema/index.ts',
    before: "  'customFields.create': {",
    text: `  'tiers.list': { query: content.tierQuery, answer: content.tierList },
  'tiers.get': { answer: content.oneTier },
`,
  },
];

const sandbox: readonly Edit[] = [
  {
    path: 'packages/sandbox/src/api/content.ts',
    before: 'export const contentRules: readonly Rule[] = [',
    text: `const listTiers = listRule('tiers.list', ({ world, publication }) =>
  listOf(
    world.store.workspace.tiers(publication.id).map((tier) => ({ ...tier, created: 0 })),
    tierRecord,
  ),
);

const getTier = rule('tiers.get', ({ world, publication, params }) => {
  const tier = world.store.workspace.tiers(publication.id).find(({ id }) => id === params['tierId']);
  return oneRecord(tierRecord(orNotFound(tier, 'tier with this id on this publication')));
});

const tierRecord = ({ id, name, status, description }: ReturnType<Store['workspace']['tiers']>[number]) => ({
  id,
  name,
  status,
  description,
});

`,
  },
  { path: 'packages/sandbox/src/api/content.ts', before: '  listAuthors,\n', text: '  listTiers,\n  getTier,\n' },
];

/** In the order of the instructions. The n8n node and the tests need no edit. */
export const edits: readonly Edit[] = [...contract, ...words, ...schema, ...sandbox];
