import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import { DisputeObject, DisputePath, ListDisputes, present, UpdateDispute } from './schema.ts'
import { acceptDispute, checkDispute, submitDispute, updateDispute } from './service/respond.ts'
import { getDispute, listDisputes } from './service.ts'

export const disputeOperations = (deps: Deps) => [
  operation({
    id: 'disputes.list',
    method: 'GET',
    path: '/disputes',
    summary: 'List disputes',
    description:
      'Returns disputes, newest first. Can be filtered by payment, status, deadline, or whether they are overdue.',
    query: PageQuery(ListDisputes),
    response: PageOf(DisputeObject),
    errors: ['invalid_cursor'],
    present: presentPage('/disputes', present),
    handle: ({ caller, query }) => listDisputes(deps, caller, rangeOf('dispute', caller.mode, query), query),
  }),
  operation({
    id: 'disputes.get',
    method: 'GET',
    path: '/disputes/:dispute_id',
    summary: 'Get a dispute',
    description: 'Returns the current state of a dispute.',
    params: DisputePath,
    response: DisputeObject,
    errors: ['not_found'],
    present,
    version: (dispute) => dispute.version,
    handle: ({ caller, params }) => getDispute(deps, caller, params.dispute_id),
  }),
  operation({
    id: 'disputes.update',
    method: 'PUT',
    path: '/disputes/:dispute_id',
    summary: 'Update the evidence of a dispute',
    description:
      'Stores evidence. Nothing is sent to the provider until you submit the evidence. Possible while the dispute needs a response.',
    params: DisputePath,
    body: UpdateDispute,
    response: DisputeObject,
    errors: ['not_found', 'invalid_state', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version: (dispute) => dispute.version,
    handle: ({ caller, params, body, ifMatch }) =>
      updateDispute(deps, caller, params.dispute_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'disputes.submit',
    method: 'POST',
    path: '/disputes/:dispute_id/submit',
    summary: 'Submit the evidence of a dispute',
    description:
      'Sends the evidence to the provider. Most banks accept one response, so wait until the evidence is complete before you submit it. The status is `under_review` when the provider has accepted it, and `submitting` while its response is unknown: the request is then repeated. If the provider refuses the evidence, the status is `needs_response` and `response_error` is the reason.',
    params: DisputePath,
    response: DisputeObject,
    errors: ['not_found', 'invalid_state', 'conflict', 'disputes_not_supported', 'evidence_invalid'],
    present,
    version: (dispute) => dispute.version,
    handle: ({ caller, params }) => submitDispute(deps, caller, params.dispute_id),
  }),
  operation({
    id: 'disputes.accept',
    method: 'POST',
    path: '/disputes/:dispute_id/accept',
    summary: 'Accept a dispute',
    description:
      "Accepts the cardholder's claim: the cardholder keeps the amount. This cannot be undone. The status is `lost`, or `accepting` while the provider's response is unknown: the request is then repeated. An inquiry cannot be accepted.",
    params: DisputePath,
    response: DisputeObject,
    errors: ['not_found', 'invalid_state', 'conflict', 'disputes_not_supported'],
    present,
    version: (dispute) => dispute.version,
    handle: ({ caller, params }) => acceptDispute(deps, caller, params.dispute_id),
  }),
  operation({
    id: 'disputes.check',
    method: 'POST',
    path: '/disputes/:dispute_id/check',
    summary: 'Check a dispute at its provider',
    description:
      'Reads the current state of the dispute from the provider. If it is unknown whether the provider received your evidence or acceptance, Switchyard sends it again.',
    params: DisputePath,
    response: DisputeObject,
    errors: ['not_found', 'conflict', 'disputes_not_supported'],
    present,
    version: (dispute) => dispute.version,
    handle: ({ caller, params }) => checkDispute(deps, caller, params.dispute_id),
  }),
]
