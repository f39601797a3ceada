/** Journey: Get. */
import { automation, journey } from '../../parameters/locators.ts';
import * as records from '../../records/records.ts';
import { get as getOne } from '../get.ts';

export const get = getOne({
  id: 'journeys.get',
  singular: 'a journey',
  record: records.journey,
  path: { automationId: automation, automationJourneyId: journey },
});
