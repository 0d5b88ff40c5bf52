/** The commands on tax rules. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { recordAuditEntry } from '../../access/audit/service.ts'
import { requireCustomer } from '../../payments/customers/service.ts'
import { requireActiveTaxRate } from '../tax-rates/service.ts'
import { countryOf, customerTypeOf, decisionsOf, untaxed } from './decide.ts'
import { type CreateTaxRule, maxRules, type PreviewTaxRule } from './schema.ts'
import { findPricesAndCustomers } from './store/facts.ts'
import * as store from './store.ts'
import type { TaxPreview, TaxRule } from './tax-rule.ts'

/** Adds a rule at its position, or at the end. */
export function createTaxRule(deps: Deps, caller: Caller, input: CreateTaxRule): Promise<TaxRule> {
  return transact(deps, caller, async (tx) => {
    const rate = await requireActiveTaxRate(tx, input.tax_rate_id)
    await store.lockRules(tx)
    const { length } = await store.listRules(tx)
    if (length >= maxRules)
      refuse('limit_reached', { detail: `A workspace can have at most ${maxRules} tax rules.` })
    const rule = await store.insertRule(tx, {
      position: Math.min(input.position ?? length + 1, length + 1),
      country: input.country ?? null,
      customerType: input.customer_type ?? null,
      taxCode: input.tax_code ?? null,
      taxRateId: rate.id,
    })
    await record(tx, 'tax_rule.created', rule)
    return rule
  })
}

export function listTaxRules(deps: Deps, caller: Caller): Promise<TaxRule[]> {
  return read(deps, caller, store.listRules)
}

export function deleteTaxRule(deps: Deps, caller: Caller, id: string): Promise<TaxRule> {
  return transact(deps, caller, async (tx) => {
    await store.lockRules(tx)
    const rule = await store.deleteRule(tx, id)
    await record(tx, 'tax_rule.deleted', rule)
    return rule
  })
}

/** The rate that a line of a new invoice of this customer would have, and why. */
export function previewTaxRule(deps: Deps, caller: Caller, input: PreviewTaxRule): Promise<TaxPreview> {
  return transact(deps, caller, async (tx) => {
    const { address, taxIds, taxExempt: isExempt } = await requireCustomer(tx, input.customer_id)
    const customer = { country: address?.country ?? null, taxIds, isExempt }
    const { mode } = await findPricesAndCustomers(tx, [], [])
    const setup = await store.findSetup(tx)
    const decision =
      mode === 'rates'
        ? decisionsOf(setup, customer)(input.tax_code ?? null)
        : untaxed(mode === 'none' ? 'tax_off' : 'tax_provider')
    return { ...decision, country: countryOf(setup, customer), customerType: customerTypeOf(customer) }
  })
}

function record(tx: Tx, act: 'tax_rule.created' | 'tax_rule.deleted', rule: TaxRule): Promise<void> {
  const { id: objectId, position, country, customerType, taxCode, taxRateId } = rule
  return recordAuditEntry(tx, act, {
    objectId,
    details: {
      position,
      country,
      customer_type: customerType,
      tax_code: taxCode,
      tax_rate_id: taxRateId,
    },
  })
}
