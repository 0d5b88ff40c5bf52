import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { IdOf } from '../../../kernel/shapes.ts'
import { operation } from '../../../platform/http/operation.ts'
import { type Page, PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import {
  CreateUsageAlert,
  present,
  presentTrigger,
  UpdateUsageAlert,
  UsageAlertObject,
  UsageAlertPath,
  UsageAlertTriggerObject,
} from './schema.ts'
import {
  createUsageAlert,
  getUsageAlert,
  listTriggers,
  listUsageAlerts,
  type UsageAlert,
  type UsageAlertTrigger,
  updateUsageAlert,
} from './service.ts'

const version = (alert: UsageAlert) => alert.version

export const usageAlertOperations = (deps: Deps) => [
  operation({
    id: 'usage_alerts.create',
    method: 'POST',
    path: '/usage-alerts',
    summary: 'Create a usage alert',
    description:
      'Compares the usage of a meter with a threshold, for one customer or for each customer. The event `usage_alert.triggered` is emitted once in each period in which the threshold is reached. Usage is compared when events are counted; an alert that is created after its threshold was reached triggers with the next usage event of the customer.',
    body: CreateUsageAlert,
    status: 201,
    response: UsageAlertObject,
    errors: ['reference_not_found'],
    present,
    version,
    handle: ({ caller, body }) => createUsageAlert(deps, caller, body),
  }),
  operation({
    id: 'usage_alerts.list',
    method: 'GET',
    path: '/usage-alerts',
    summary: 'List usage alerts',
    description: 'Returns usage alerts, newest first. Can be filtered by `meter_id` or `customer_id`.',
    query: PageQuery({
      meter_id: Type.Optional(IdOf('meter')),
      customer_id: Type.Optional(IdOf('customer', 'Only alerts for this customer alone.')),
    }),
    response: PageOf(UsageAlertObject),
    errors: ['invalid_cursor'],
    present: presentPage('/usage-alerts', present),
    handle: ({ caller, query }) =>
      listUsageAlerts(deps, caller, rangeOf('usage_alert', caller.mode, query), query),
  }),
  operation({
    id: 'usage_alerts.get',
    method: 'GET',
    path: '/usage-alerts/:usage_alert_id',
    summary: 'Get a usage alert',
    description: 'Returns a usage alert.',
    params: UsageAlertPath,
    response: UsageAlertObject,
    errors: ['not_found'],
    present,
    version,
    handle: ({ caller, params }) => getUsageAlert(deps, caller, params.usage_alert_id),
  }),
  operation({
    id: 'usage_alerts.update',
    method: 'PUT',
    path: '/usage-alerts/:usage_alert_id',
    summary: 'Update a usage alert',
    description:
      'Renames a usage alert, or archives it with `active: false`. Its meter, customer and threshold cannot be changed.',
    params: UsageAlertPath,
    body: UpdateUsageAlert,
    response: UsageAlertObject,
    errors: ['not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updateUsageAlert(deps, caller, params.usage_alert_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'usage_alerts.triggers',
    method: 'GET',
    path: '/usage-alerts/:usage_alert_id/triggers',
    summary: 'List triggers of a usage alert',
    description:
      'Returns the customers whose usage reached the threshold, with the period, newest first. Cancelling usage events afterwards does not remove them.',
    params: UsageAlertPath,
    query: PageQuery({}),
    response: PageOf(UsageAlertTriggerObject),
    errors: ['not_found', 'invalid_cursor'],
    present: (page: Page<UsageAlertTrigger>, { params }) =>
      presentPage(`/usage-alerts/${params.usage_alert_id}/triggers`, presentTrigger)(page),
    handle: ({ caller, params, query }) =>
      listTriggers(deps, caller, params.usage_alert_id, rangeOf('usage_alert_trigger', caller.mode, query)),
  }),
]
