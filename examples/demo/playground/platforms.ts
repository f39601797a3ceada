/** Where a snippet can go. */
export const platforms = {
  html: 'HTML',
  wordpress: 'WordPress',
  webflow: 'Webflow',
  framer: 'Framer',
  ghost: 'Ghost',
  react: 'React',
  vue: 'Vue',
  svelte: 'Svelte',
} as const;

export type Platform = keyof typeof platforms;

export function isPlatform(name: string): name is Platform {
  return Object.hasOwn(platforms, name);
}
