import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import {
  CreateTaxRule,
  DeletedTaxRule,
  PreviewTaxRule,
  present,
  presentDeleted,
  presentList,
  presentPreview,
  TaxPreviewObject,
  TaxRuleObject,
  TaxRulePath,
  TaxRules,
} from './schema.ts'
import { createTaxRule, deleteTaxRule, listTaxRules, previewTaxRule } from './service.ts'

export const taxRuleOperations = (deps: Deps) => [
  operation({
    id: 'tax_rules.create',
    method: 'POST',
    path: '/tax-rules',
    summary: 'Create a tax rule',
    description:
      'Selects a tax rate by country, customer type and tax code. Rules are tried in order, and the first that matches applies. They are used if `tax` of the seller is `rates`.',
    body: CreateTaxRule,
    status: 201,
    response: TaxRuleObject,
    errors: ['reference_not_found', 'limit_reached'],
    present,
    handle: ({ caller, body }) => createTaxRule(deps, caller, body),
  }),
  operation({
    id: 'tax_rules.list',
    method: 'GET',
    path: '/tax-rules',
    summary: 'List tax rules',
    description: 'Returns all tax rules, in the order in which they are tried.',
    response: TaxRules,
    present: presentList,
    handle: ({ caller }) => listTaxRules(deps, caller),
  }),
  operation({
    id: 'tax_rules.preview',
    method: 'POST',
    path: '/tax-rules/preview',
    summary: 'Preview the tax rate of a customer',
    description:
      'Returns the rate that a line of a new invoice of this customer would have, and why. Nothing is stored.',
    body: PreviewTaxRule,
    response: TaxPreviewObject,
    errors: ['reference_not_found'],
    present: presentPreview,
    handle: ({ caller, body }) => previewTaxRule(deps, caller, body),
  }),
  operation({
    id: 'tax_rules.delete',
    method: 'DELETE',
    path: '/tax-rules/:tax_rule_id',
    summary: 'Delete a tax rule',
    description: 'Deletes the rule. Existing invoices keep their tax.',
    params: TaxRulePath,
    response: DeletedTaxRule,
    errors: ['not_found'],
    present: presentDeleted,
    handle: ({ caller, params }) => deleteTaxRule(deps, caller, params.tax_rule_id),
  }),
]
