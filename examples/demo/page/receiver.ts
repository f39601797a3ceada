/** What receives the posts of the form, in the words of the page: the relay, or the n8n of `npm run n8n`. */

const receivers = {
  relay: {
    steps:
      'The form posts to the relay, which keeps the signup on disk, answers, and delivers it to the newsletter API.',
    whileAway: 'The relay keeps what you send and delivers it when the sandbox is back.',
  },
  n8n: {
    steps:
      'The form posts to n8n. Once the workflow of the signup form is published there, n8n saves the signup as an execution, answers, and adds it to the newsletter API.',
    whileAway: 'What you send becomes a failed execution in n8n: retry it there when the sandbox is back.',
  },
} as const;

export const receiver = receivers[document.documentElement.dataset['receiver'] === 'n8n' ? 'n8n' : 'relay'];
