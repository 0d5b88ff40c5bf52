import { defineEvent } from '../../../platform/db/events.ts'
import type { DunningPolicy } from './dunning-policy.ts'
import { DunningPolicyObject, present } from './schema.ts'

export const dunningPolicyCreated = defineEvent<DunningPolicy>({
  type: 'dunning_policy.created',
  about: 'A dunning policy was created.',
  schema: DunningPolicyObject,
  present,
})

export const dunningPolicyUpdated = defineEvent<DunningPolicy>({
  type: 'dunning_policy.updated',
  about: 'A dunning policy was updated. `previous` contains the old values.',
  schema: DunningPolicyObject,
  present,
  example: { before: { local_hour: 6 } },
})

export const dunningPolicyEvents = [dunningPolicyCreated, dunningPolicyUpdated]
