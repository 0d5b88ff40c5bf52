/** The commands on tax rates. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { recordAuditEntry } from '../../access/audit/service.ts'
import type { CreateTaxRate, UpdateTaxRate } from './schema.ts'
import * as store from './store.ts'
import { normalizePercentage, type TaxRate } from './tax-rate.ts'

export type { TaxRate } from './tax-rate.ts'

export function createTaxRate(deps: Deps, caller: Caller, input: CreateTaxRate): Promise<TaxRate> {
  return transact(deps, caller, async (tx) => {
    const { name, country = null, category = 'S', exemption_reason: exemptionReason = null } = input
    const percentage = normalizePercentage(input.percentage)
    if (category === 'S' && percentage === '0')
      refuseMember(
        '/percentage',
        'too_small',
        'must be above 0 for category S; use category Z for a zero rate',
      )
    if (category !== 'S' && percentage !== '0')
      refuseMember('/percentage', 'too_large', `must be 0 for category ${category}`)
    const rate = await store.insertTaxRate(tx, name, { percentage, country, category, exemptionReason })
    await record(tx, 'tax_rate.created', rate)
    return rate
  })
}

export function getTaxRate(deps: Deps, caller: Caller, id: string): Promise<TaxRate> {
  return read(deps, caller, (view) => store.findTaxRate(view, id))
}

export function listTaxRates(deps: Deps, caller: Caller, range: IdRange, active: boolean | null) {
  return read(deps, caller, (view) => store.listTaxRates(view, range, active))
}

/** Changes the name, or archives the rate. A rate that a rule uses cannot be archived. */
export function updateTaxRate(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateTaxRate & { readonly ifMatch: number | null },
): Promise<TaxRate> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockTaxRate(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const { name = before.name, active = before.active } = input
    if (name === before.name && active === before.active) return before
    if (before.active && !active && (await store.isUsedByRule(tx, before.id)))
      refuse('object_in_use', { detail: 'A tax rule uses this rate. Delete the rule first.' })
    const after = await store.updateTaxRate(tx, before, { name, active })
    await record(tx, 'tax_rate.updated', after)
    return after
  })
}

function record(tx: Tx, act: 'tax_rate.created' | 'tax_rate.updated', rate: TaxRate): Promise<void> {
  const { id: objectId, name, percentage, category, active } = rate
  return recordAuditEntry(tx, act, { objectId, details: { name, percentage, category, active } })
}

/** Finds the rate that a request refers to. It must not be archived. */
export async function requireActiveTaxRate(tx: Tx, text: string): Promise<TaxRate> {
  const rate = await store.requireTaxRate(tx, text)
  if (!rate.active) refuseMember('/tax_rate_id', 'not_found', 'is the id of an archived tax rate')
  return rate
}
