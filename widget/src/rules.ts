/**
 * Rules of attribution that few pages need. Loaded with the attributes `ref-is`, `same-site`, `click-ids` and
 * `referrer-medium`.
 */
import { clickSource, parseUrl, referrerSource, type VisitOptions } from '@newsletter-kit/core/signup';
import type { PageTools } from './attribution.ts';
import { isSet } from './form.ts';

/** How the element says that visits are read. */
export function readRules(host: Element, { oneOf, warn }: PageTools): VisitOptions {
  const refIs = oneOf(host, 'ref-is', host.getAttribute('ref-is') ?? 'auto', 'none', 'auto', 'code', 'source');
  // Hosts may be written as addresses.
  const words = (host.getAttribute('same-site') ?? '').split(/[\s,]+/).filter(Boolean);
  const sameSite = words.map((text) => {
    const { hostname = '' } = parseUrl(text.replace(/^(?!\w+:\/)/, 'https://')) ?? {};
    if (!/^[\w.-]+$/.test(hostname))
      warn(host, 'attribute', `same-site="${text}" is no host, such as blog.example.com: it is left out.`);
    return hostname;
  });
  return {
    refIs: refIs === 'auto' ? undefined : refIs,
    sameSite,
    clickSource: isSet(host, 'click-ids') ? clickSource : undefined,
    referrerSource: isSet(host, 'referrer-medium') ? referrerSource : undefined,
  };
}
