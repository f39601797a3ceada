import { docsLoader } from '@astrojs/starlight/loaders';
import { docsSchema } from '@astrojs/starlight/schema';
import { defineCollection } from 'astro:content';

/** Astro checks each page's frontmatter against the schema; the exact type names files inside of packages. */
export const collections: Record<string, unknown> = {
  docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }),
};
