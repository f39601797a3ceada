/** Automation: Get. */
import { include, statistics } from '../../parameters/include.ts';
import { automation } from '../../parameters/locators.ts';
import * as records from '../../records/records.ts';
import { get as getOne } from '../get.ts';

export const get = getOne({
  id: 'automations.get',
  singular: 'an automation',
  record: records.automation,
  path: { automationId: automation },
  options: [include(statistics)],
});
