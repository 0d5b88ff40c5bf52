import { defineEvent } from '../../../platform/db/events.ts'
import { present, presentTrigger, UsageAlertObject, UsageAlertTriggerObject } from './schema.ts'
import type { UsageAlert, UsageAlertTrigger } from './usage-alert.ts'

export const usageAlertCreated = defineEvent<UsageAlert>({
  type: 'usage_alert.created',
  about: 'A usage alert was created.',
  schema: UsageAlertObject,
  present,
})

export const usageAlertUpdated = defineEvent<UsageAlert>({
  type: 'usage_alert.updated',
  about: 'A usage alert was renamed, archived or made active again. `previous` contains the old values.',
  schema: UsageAlertObject,
  present,
  example: { before: { name: 'Included requests' } },
})

export const usageAlertTriggered = defineEvent<UsageAlertTrigger>({
  type: 'usage_alert.triggered',
  about:
    'The usage of a customer reached the threshold of a usage alert. Emitted once for each alert, customer and period.',
  schema: UsageAlertTriggerObject,
  present: presentTrigger,
})

export const usageAlertEvents = [usageAlertCreated, usageAlertUpdated, usageAlertTriggered]
