/** Posts a webhook from a Worker. The platform's `fetch` reaches no private network; it follows no redirect here. */
import type { PostWebhook } from '../webhooks/post.ts';

export const postFromWorker: PostWebhook = async ({ url, headers, body, signal }) => {
  const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  await answer.body?.cancel();
  return { status: answer.status, headers: Object.fromEntries(answer.headers) };
};
