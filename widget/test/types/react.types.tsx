/** Compiled, never run: what JSX of React 19 lets one write, and what it does not. */
import '@newsletter-kit/signup/react';
import { useRef, type ReactNode } from 'react';
import type { NewsletterSignup } from '@newsletter-kit/signup';

export function Signup(): ReactNode {
  const form = useRef<NewsletterSignup>(null);
  return (
    <newsletter-signup
      ref={form}
      key="form"
      endpoint="https://relay.example/signup"
      attribution="last"
      storage="session"
      referralParam="invite"
      referral-param="invite"
      messages={{ button: 'Join' }}
      utm-source="blog"
      text-email-label="Address"
      className="wide"
      lang="de"
      onnewsletter-submit={(event) => {
        event.preventDefault();
        form.current?.reset();
      }}
      onnewsletter-success={({ attribution }) => console.log(attribution.utm_source)}
      onnewsletter-error={({ kind, retryAfter }) => console.log(kind === 'limited' ? retryAfter : 0)}
    >
      <newsletter-field name="Topics" kind="list" options="AI, Design" required />
      <newsletter-field name="Terms" kind="consent" href="/terms" hidden={false} />
    </newsletter-signup>
  );
}

export const mistakes: readonly ReactNode[] = [
  // @ts-expect-error -- no such attribute
  <newsletter-signup endPoint="/signup" />,
  // @ts-expect-error -- neither first nor last
  <newsletter-signup attribution="both" />,
  // @ts-expect-error -- `text-*` takes strings; names with hyphens that no tag knows, TypeScript lets pass in JSX
  <newsletter-signup text-button={7} />,
  // @ts-expect-error -- no such text in the table
  <newsletter-signup messages={{ buton: 'Join' }} />,
  // @ts-expect-error -- `state` is read-only
  <newsletter-signup state="busy" />,
  // @ts-expect-error -- the event holds no such thing
  <newsletter-signup onnewsletter-success={(event) => event.password} />,
  // @ts-expect-error -- no such kind
  <newsletter-field name="Age" kind="number" />,
  // @ts-expect-error -- a word is no yes
  <newsletter-field name="Age" required="required" />,
];
