/** How this page was reached. Read once, when the script runs: a page that navigates by itself later loses both. */
import type { Visit } from '@newsletter-kit/core/signup';

export const landing: Visit = {
  url: globalThis.location?.href ?? '',
  referrer: globalThis.document?.referrer ?? '',
};
