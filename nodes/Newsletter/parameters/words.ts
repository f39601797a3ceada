/** Descriptions of the contract in the style of the editor. */
import type { ParameterWords } from '@newsletter-kit/core/contract';

/** Fields that a description may name, as the editor names them. */
const labels: Readonly<Record<string, string>> = {
  newsletter_list_ids: 'Join Newsletter List IDs',
  premium_tier_ids: 'Premium Tier IDs',
  premium_tiers: 'Premium Tier Names',
  tier: 'Tier',
  unsubscribe: 'Unsubscribe',
};

/**
 * What a parameter means, for its description: names as the editor shows them, no forms of IDs, which the placeholder
 * shows, "email" as n8n spells it, and no period after a single sentence.
 */
export function describe({ text }: ParameterWords): string {
  const worded = text
    .replaceAll(/, `\w+_<uuid>`/g, '')
    .replace(/^Prefixed IDs? of (?:the |an? )?(\w)/, (_, first: string) => first.toUpperCase())
    .replaceAll(/`(\w+)`/g, (_, name: string) => labels[name] ?? name.replaceAll('_', ' '))
    .replaceAll('`', '')
    .replaceAll('e-mail', 'email')
    .replaceAll('E-mail', 'Email');
  return worded.slice(0, -1).includes('. ') ? worded : worded.replace(/\.$/, '');
}
