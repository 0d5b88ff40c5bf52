import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { type Page, PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import { EndpointPath, present, RecoveryObject, RecoveryPath, StartRecovery } from './schema.ts'
import { cancelRecovery, getRecovery, listRecoveries, startRecovery } from './service.ts'
import type { WebhookRecovery } from './webhook-recovery.ts'

const endpointPath = '/webhook-endpoints/:webhook_endpoint_id'
const recoveryPath = `${endpointPath}/recoveries/:webhook_recovery_id`

type Params = { readonly webhook_endpoint_id: string; readonly webhook_recovery_id: string }
const placeOf = (params: Params) => ({
  endpointId: params.webhook_endpoint_id,
  recoveryId: params.webhook_recovery_id,
})

export const webhookRecoveryOperations = (deps: Deps, types: readonly { readonly type: string }[]) => [
  operation({
    id: 'webhook_recoveries.create',
    method: 'POST',
    path: `${endpointPath}/recover`,
    summary: 'Send a webhook endpoint what it missed',
    description:
      'Goes through the past of the endpoint in the background, oldest first, and sends again what fits. One runs at a time.',
    params: EndpointPath,
    body: StartRecovery(types.map(({ type }) => type)),
    status: 202,
    answer: RecoveryObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    verb: ({ caller, params, body }) => startRecovery(deps, caller, params.webhook_endpoint_id, body),
  }),
  operation({
    id: 'webhook_recoveries.list',
    method: 'GET',
    path: `${endpointPath}/recoveries`,
    summary: 'List the recoveries of a webhook endpoint',
    description: 'Newest first.',
    params: EndpointPath,
    query: PageQuery({}),
    answer: PageOf(RecoveryObject),
    refuses: ['not_found', 'invalid_cursor'],
    present: (page: Page<WebhookRecovery>, { params }) =>
      presentPage(`/webhook-endpoints/${params.webhook_endpoint_id}/recoveries`, present)(page),
    verb: ({ caller, params, query }) =>
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
    description: 'Answers how far it is, and how many deliveries it has released.',
    params: RecoveryPath,
    answer: RecoveryObject,
    refuses: ['not_found'],
    present,
    verb: ({ caller, params }) => getRecovery(deps, caller, placeOf(params)),
  }),
  operation({
    id: 'webhook_recoveries.cancel',
    method: 'POST',
    path: `${recoveryPath}/cancel`,
    summary: 'Cancel a recovery',
    description: 'What it has released already is sent; nothing more is. Repeating it answers the same.',
    params: RecoveryPath,
    answer: RecoveryObject,
    refuses: ['not_found', 'invalid_state', 'conflict'],
    present,
    verb: ({ caller, params }) => cancelRecovery(deps, caller, placeOf(params)),
  }),
]
