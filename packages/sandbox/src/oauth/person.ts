/** The one person who can sign in: made up, without a password. */
export const person = {
  id: '00000000-0000-4000-8000-000000000009',
  name: 'Marina Quay',
  email: 'marina@harbour-letter.example',
  initials: 'MQ',
} as const;
