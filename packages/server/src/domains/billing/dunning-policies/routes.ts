import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import {
  CreateDunningPolicy,
  DunningPolicyObject,
  DunningPolicyPath,
  present,
  UpdateDunningPolicy,
} from './schema.ts'
import {
  createDunningPolicy,
  type DunningPolicy,
  getDunningPolicy,
  listDunningPolicies,
  updateDunningPolicy,
} from './service.ts'

const version = (policy: DunningPolicy) => policy.version

export const dunningPolicyOperations = (deps: Deps) => [
  operation({
    id: 'dunning_policies.create',
    method: 'POST',
    path: '/dunning-policies',
    summary: 'Create a dunning policy',
    description:
      'Defines when failed invoices are retried and what happens if every retry fails. Omitted fields get defaults.',
    body: CreateDunningPolicy,
    status: 201,
    response: DunningPolicyObject,
    present,
    version,
    handle: ({ caller, body }) => createDunningPolicy(deps, caller, body),
  }),
  operation({
    id: 'dunning_policies.list',
    method: 'GET',
    path: '/dunning-policies',
    summary: 'List dunning policies',
    description: 'Returns dunning policies, newest first.',
    query: PageQuery({}),
    response: PageOf(DunningPolicyObject),
    errors: ['invalid_cursor'],
    present: presentPage('/dunning-policies', present),
    handle: ({ caller, query }) =>
      listDunningPolicies(deps, caller, rangeOf('dunning_policy', caller.mode, query)),
  }),
  operation({
    id: 'dunning_policies.get',
    method: 'GET',
    path: '/dunning-policies/:dunning_policy_id',
    summary: 'Get a dunning policy',
    description:
      'Returns a dunning policy. Running campaigns keep a copy of the policy from when they started.',
    params: DunningPolicyPath,
    response: DunningPolicyObject,
    errors: ['not_found'],
    present,
    version,
    handle: ({ caller, params }) => getDunningPolicy(deps, caller, params.dunning_policy_id),
  }),
  operation({
    id: 'dunning_policies.update',
    method: 'PUT',
    path: '/dunning-policies/:dunning_policy_id',
    summary: 'Update a dunning policy',
    description: 'Omitted fields are unchanged. Running campaigns are not affected.',
    params: DunningPolicyPath,
    body: UpdateDunningPolicy,
    response: DunningPolicyObject,
    errors: ['not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updateDunningPolicy(deps, caller, params.dunning_policy_id, { ...body, ifMatch }),
  }),
]
