import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
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

const version = ({ version: seen }: DunningPolicy) => seen

export const dunningPolicyOperations = (deps: Deps) => [
  operation({
    id: 'dunning_policies.create',
    method: 'POST',
    path: '/dunning-policies',
    summary: 'Create a dunning policy',
    description:
      'How invoices that could not be collected are tried again, and what happens in the end. What is left out is as usual.',
    body: CreateDunningPolicy,
    status: 201,
    answer: DunningPolicyObject,
    present,
    version,
    verb: ({ caller, body }) => createDunningPolicy(deps, caller, body),
  }),
  operation({
    id: 'dunning_policies.list',
    method: 'GET',
    path: '/dunning-policies',
    summary: 'List dunning policies',
    description: 'Newest first.',
    query: PageQuery({}),
    answer: PageOf(DunningPolicyObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/dunning-policies', present),
    verb: ({ caller, query }) =>
      listDunningPolicies(deps, caller, rangeOf('dunning_policy', caller.mode, query)),
  }),
  operation({
    id: 'dunning_policies.get',
    method: 'GET',
    path: '/dunning-policies/:dunning_policy_id',
    summary: 'Get a dunning policy',
    description: 'Answers one policy. Campaigns that run keep what it said when they began.',
    params: DunningPolicyPath,
    answer: DunningPolicyObject,
    refuses: ['not_found'],
    present,
    version,
    verb: ({ caller, params }) => getDunningPolicy(deps, caller, params.dunning_policy_id),
  }),
  operation({
    id: 'dunning_policies.update',
    method: 'PUT',
    path: '/dunning-policies/:dunning_policy_id',
    summary: 'Update a dunning policy',
    description: 'Members that are not sent stay as they are. Campaigns that run go on as they began.',
    params: DunningPolicyPath,
    body: UpdateDunningPolicy,
    answer: DunningPolicyObject,
    refuses: ['not_found', 'conflict', 'version_mismatch'],
    takesIfMatch: true,
    present,
    version,
    verb: ({ caller, params, body, ifMatch }) =>
      updateDunningPolicy(deps, caller, params.dunning_policy_id, { ...body, ifMatch }),
  }),
]
