import { docsLoader } from '@astrojs/starlight/loaders';
import { docsSchema } from '@astrojs/starlight/schema';
import { defineCollection } from 'astro:content';
import { z } from 'astro/zod';

/** Words by which readers look for the page, and which its text need not have. The search finds it by them. */
const keywords = z.string().optional();

/** Astro checks each page's frontmatter against the schema; the exact type names files inside of packages. */
export const collections: Record<string, unknown> = {
  docs: defineCollection({ loader: docsLoader(), schema: docsSchema({ extend: z.object({ keywords }) }) }),
};
