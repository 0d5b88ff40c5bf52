import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { type Page, PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import { EndpointPath, present, RecoveryObject, RecoveryPath, StartRecovery } from './schema.ts'
import { cancelRecovery, getRecovery, listRecoveries, startRecovery } from './service.ts'
import type { WebhookRecovery } from './webhook-recovery.ts'

const endpointPath = '/webhook-endpoints/:webhook_endpoint_id'
const recoveryPath = `${endpointPath}/recoveries/:webhook_recovery_id`

type Params = { readonly webhook_endpoint_id: string; readonly webhook_recovery_id: string }
const recoveryKey = (params: Params) => ({
  endpointId: params.webhook_endpoint_id,
  recoveryId: params.webhook_recovery_id,
})

export const webhookRecoveryOperations = (deps: Deps, types: readonly { readonly type: string }[]) => [
  operation({
    id: 'webhook_recoveries.create',
    method: 'POST',
    path: `${endpointPath}/recover`,
    summary: 'Resend missed events to a webhook endpoint',
    description:
      'Goes through past events in the background, oldest first, and resends those that match. Only one recovery can run at a time.',
    params: EndpointPath,
    body: StartRecovery(types.map(({ type }) => type)),
    status: 202,
    response: RecoveryObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    handle: ({ caller, params, body }) => startRecovery(deps, caller, params.webhook_endpoint_id, body),
  }),
  operation({
    id: 'webhook_recoveries.list',
    method: 'GET',
    path: `${endpointPath}/recoveries`,
    summary: 'List the recoveries of a webhook endpoint',
    description: 'Returns the recoveries of a webhook endpoint, newest first.',
    params: EndpointPath,
    query: PageQuery({}),
    response: PageOf(RecoveryObject),
    errors: ['not_found', 'invalid_cursor'],
    present: (page: Page<WebhookRecovery>, { params }) =>
      presentPage(`/webhook-endpoints/${params.webhook_endpoint_id}/recoveries`, present)(page),
    handle: ({ caller, params, query }) =>
      listRecoveries(
        deps,
        caller,
        rangeOf('webhook_recovery', caller.mode, query),
        params.webhook_endpoint_id,
      ),
  }),
  operation({
    id: 'webhook_recoveries.get',
    method: 'GET',
    path: recoveryPath,
    summary: 'Get a recovery',
    description: 'Returns the progress of a recovery and the number of deliveries it has released.',
    params: RecoveryPath,
    response: RecoveryObject,
    errors: ['not_found'],
    present,
    handle: ({ caller, params }) => getRecovery(deps, caller, recoveryKey(params)),
  }),
  operation({
    id: 'webhook_recoveries.cancel',
    method: 'POST',
    path: `${recoveryPath}/cancel`,
    summary: 'Cancel a recovery',
    description:
      'Deliveries that were already released are still sent. Repeated calls return the same result.',
    params: RecoveryPath,
    response: RecoveryObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present,
    handle: ({ caller, params }) => cancelRecovery(deps, caller, recoveryKey(params)),
  }),
]
