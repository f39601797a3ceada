/** The errors for records that do not exist, exist already or are in use, word for word. */
import { expect, test } from 'vitest';
import { create, customFieldsPath, errorsOf, fresh, publicationPath, send, subscriptionsPath } from '../caller.ts';
import { known } from './known.ts';
import { expectRefused, type Refused } from './refusals.ts';

const deletionsPath = `${publicationPath}/data_privacy/deletion_requests`;

const noRecord = '00000000-0000-4000-8000-00000000000a';

const refused: Readonly<Record<string, Refused>> = {
  'a tier that the publication does not have': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', premium_tiers: ['Gold'] },
    code: 'NOT_FOUND_ON_PUBLICATION',
    message: '"premium_tiers[0]" is not a premium tier of this publication.',
  },
  'a tier id that the publication does not have': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', premium_tier_ids: [`tier_${noRecord}`] },
    code: 'NOT_FOUND_ON_PUBLICATION',
    message: '"premium_tier_ids[0]" is not a premium tier of this publication.',
  },
  'a newsletter list that the publication does not have': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', newsletter_list_ids: [`nl_list_${noRecord}`] },
    code: 'NOT_FOUND_ON_PUBLICATION',
    message: '"newsletter_list_ids[0]" is not a newsletter list of this publication.',
  },
  'an automation that the publication does not have': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', automation_ids: [`aut_${noRecord}`] },
    code: 'NOT_FOUND_ON_PUBLICATION',
    message: '"automation_ids[0]" is not an automation of this publication.',
  },
  'a gift that the publication does not have': {
    method: 'POST',
    path: subscriptionsPath,
    body: { email: 'ada@example.com', complimentary_gift_id: `comp_access_${noRecord}` },
    code: 'NOT_FOUND_ON_PUBLICATION',
    message: '"complimentary_gift_id" is not a complimentary access of this publication.',
  },
  'a custom field that does not exist': {
    path: `${customFieldsPath}/${noRecord}`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no custom field with this id on this publication.',
  },
  'a custom field that exists already': {
    method: 'POST',
    path: customFieldsPath,
    body: { kind: 'string', display: 'Topics' },
    code: 'ALREADY_EXISTS',
    message:
      'A custom field with this "display" exists already. It must be unique, because subscriptions refer to fields by it.',
  },
  'an automation that does not exist': {
    path: `${publicationPath}/automations/aut_${noRecord}`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no automation with this id on this publication.',
  },
  'an author that does not exist': {
    path: `${publicationPath}/authors/nobody`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no author with this id, full name or first name on this publication.',
  },
  'complimentary access that does not exist': {
    path: `${publicationPath}/complimentary_access/comp_access_${noRecord}`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no complimentary access with this id on this publication.',
  },
  'a condition set that does not exist': {
    path: `${publicationPath}/condition_sets/${noRecord}`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no active condition set with this id on this publication.',
  },
  'a bulk update that does not exist': {
    path: `${publicationPath}/bulk_subscription_updates/${noRecord}`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no bulk update with this id on this publication.',
  },
  'a deletion request that does not exist': {
    path: `${deletionsPath}/${noRecord}`,
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no deletion request with this id.',
  },
  'a deletion request for an unknown address': {
    method: 'POST',
    path: deletionsPath,
    body: { email: 'stranger@example.com' },
    status: 404,
    code: 'NOT_FOUND',
    message: 'No publication of the workspace has a subscription with this address.',
  },
  'a deletion request where data deletion is not enabled': {
    path: deletionsPath,
    options: { assumptions: { data_deletion: 'not_enabled' } },
    status: 403,
    code: 'DATA_DELETION_NOT_ENABLED',
    message: 'Data deletion is not enabled for this organization (assumption data_deletion: not_enabled).',
  },
  'the list of publications where there is none': {
    path: '/publications',
    options: { assumptions: { publication_list: 'absent' } },
    status: 404,
    code: 'NOT_FOUND',
    message: 'There is no such path.',
  },
};

expectRefused(refused);

test('refuses enrollments that name no subscriber, an unknown one, two, or one that is on a journey', async () => {
  const sandbox = fresh({ seed: 'demo' });
  const { automation, otherAutomation, subscription } = await known(sandbox);
  const enroll = async (id: string, body: object) =>
    errorsOf(await send(sandbox, 'POST', `${publicationPath}/automations/${id}/journeys`, body))[0];
  expect(await enroll(automation, {})).toEqual({
    message: 'Identify the subscriber by "email" or "subscription_id".',
    code: 'NOT_EXIST_REQUIRED_KEY',
  });
  expect(await enroll(automation, { email: 'stranger@example.com', subscription_id: subscription.id })).toEqual({
    message:
      'This publication has no such subscriber. Create the subscription first; its "automation_ids" can enroll it, too.',
    code: 'NOT_FOUND',
  });
  expect(await enroll(automation, { email: subscription.email, subscription_id: `sub_${noRecord}` })).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await enroll(automation, { email: 'grace@example.org', subscription_id: subscription.id })).toEqual({
    message: '"email" and "subscription_id" belong to two different subscribers.',
    code: 'VALIDATE_ERROR',
  });
  expect(await enroll(otherAutomation, { email: subscription.email })).toEqual({
    message:
      'This automation has no active Add by API trigger: "api" must be one of its trigger_events, and its status must be running or live.',
    code: 'NO_API_TRIGGER',
  });
  await send(sandbox, 'POST', `${publicationPath}/automations/${automation}/journeys`, { email: subscription.email });
  expect(await enroll(automation, { email: subscription.email, subscription_id: subscription.id })).toEqual({
    message: 'This subscriber is already on a journey in this automation.',
    code: 'ALREADY_ENROLLED',
  });
  expect(
    errorsOf(await send(sandbox, 'GET', `${publicationPath}/automations/${automation}/journeys/aj_${noRecord}`))[0],
  ).toEqual({ message: 'There is no journey with this id in this automation.', code: 'NOT_FOUND' });
});

test('refuses a second deletion request while one for the address is open', async () => {
  const sandbox = fresh();
  await create(sandbox, { email: 'ada@example.com' });
  await send(sandbox, 'POST', deletionsPath, { email: 'ada@example.com' });
  const answered = await send(sandbox, 'POST', deletionsPath, { email: 'ADA@example.com' });
  expect(answered.status).toBe(409);
  expect(errorsOf(answered)).toEqual([
    { message: 'A deletion request for this address is already open.', code: 'CONFLICT' },
  ]);
});
