// The state of a running billing scenario, and the objects it needs in its workspace.

import { grantCredit } from '../../src/domains/billing/invoices/service.ts'
import { systemCaller } from '../../src/kernel/caller.ts'
import { type Id, idFromUuid, type Kind, uuidOf } from '../../src/kernel/id.ts'
import { transact } from '../../src/platform/db/unit-of-work.ts'
import type { BillingScenario } from './billing-scenario.ts'
import type { TestWorkspace } from './harness.ts'
import type { ScenarioRun } from './scenario-run.ts'

/** Unused time of a subscription that ended before the end of its period. It must be credited or refunded. */
export type UnusedTime = {
  readonly subscription: number
  readonly invoiceId: string
  /** The value of the unused time, if the invoice is eventually paid. */
  readonly value: number
}

export type BillingRun = ScenarioRun & {
  readonly scenario: BillingScenario
  readonly billing: BillingObjects
  readonly customerId: string
  readonly clockId: string | null
  /** Ids of subscriptions and sessions from responses, by their number in the scenario. */
  readonly subscriptions: Map<number, string>
  readonly sessions: Map<number, string>
  readonly secrets: Map<number, string>
  readonly unusedTimes: UnusedTime[]
  /** Whether requests run without concurrent actions. */
  readonly isAlone: boolean
}

/** Access to the workspace of a scenario. */
export type WorkspaceAccess = Pick<ScenarioRun, 'harness' | 'workspace'>

/** Objects that all scenarios of a workspace share. */
export type BillingObjects = {
  readonly priceId: string
  readonly policyIds: readonly string[]
  /** The price per unit of usage. */
  readonly usagePriceId: string
  /** In the order of `discountTerms`. */
  readonly couponIds: readonly string[]
}

export const unitAmount = 2999
export const sessionAmount = 1299
export const taxPercentage = 19
/** The price of one unit of usage. */
export const usageAmount = 7
export const usageEvent = 'requests'

/** The discounts that the customer of a scenario may have. */
export const discountTerms = [
  { percent_off: '10', duration: 'forever' },
  { percent_off: '50', duration: 'once' },
  { amount_off: 700, currency: 'eur', duration: 'periods', duration_periods: 2 },
] as const
export const taxedAddress = { line1: 'Hauptstr. 1', postal_code: '10115', city: 'Berlin', country: 'DE' }

const objectsByWorkspace = new WeakMap<TestWorkspace, BillingObjects>()

export async function ensureBillingObjects(run: WorkspaceAccess): Promise<BillingObjects> {
  const { workspace } = run
  const existing = objectsByWorkspace.get(workspace)
  if (existing !== undefined) return existing
  const product = await create(run, '/products', { name: 'Team plan' })
  const price = await create(run, '/prices', {
    product_id: product.id,
    currency: 'eur',
    unit_amount: unitAmount,
    recurring: { interval: 'month' },
  })
  // Only customers in Germany are taxed.
  const address = { line1: '1 High Street', postal_code: 'SW1A 1AA', city: 'London', country: 'GB' }
  await create(run, '/seller', { legal_name: 'Example Ltd', address, tax: 'rates' }, 'PUT')
  const rate = await create(run, '/tax-rates', { name: 'VAT', percentage: String(taxPercentage) })
  await create(run, '/tax-rules', { tax_rate_id: rate.id, country: 'DE' })
  const policyIds: string[] = []
  for (const final of finalActions) {
    const policy = { name: 'Short', retry_days: [1, 3], local_hour: 9, jitter_minutes: 0, grace: 'campaign' }
    policyIds.push((await create(run, '/dunning-policies', { ...policy, final })).id)
  }
  const meter = await create(run, '/meters', { event_name: usageEvent, aggregation: 'sum' })
  const usagePrice = await create(run, '/prices', {
    product_id: product.id,
    currency: 'eur',
    unit_amount: usageAmount,
    meter_id: meter.id,
    recurring: { interval: 'month' },
  })
  const couponIds: string[] = []
  for (const terms of discountTerms)
    couponIds.push((await create(run, '/coupons', { name: 'Offer', ...terms })).id)
  const billing = { priceId: price.id, policyIds, usagePriceId: usagePrice.id, couponIds }
  objectsByWorkspace.set(workspace, billing)
  return billing
}

const finalActions = [
  { subscription: 'pause', invoice: 'leave_open' },
  { subscription: 'cancel', invoice: 'uncollectible' },
  { subscription: 'mark_unpaid', invoice: 'void' },
  { subscription: 'keep', invoice: 'uncollectible' },
] as const

/** Creates an object without a simulated process, so that no fault is injected. */
export async function create(
  { harness, workspace }: WorkspaceAccess,
  url: string,
  payload: object,
  method: 'POST' | 'PUT' = 'POST',
): Promise<{ readonly id: string; readonly url: string }> {
  const headers = { authorization: `Bearer ${workspace.token}` }
  const { statusCode, body } = await harness.app.inject({ method, url, headers, payload })
  if (statusCode >= 300) throw new Error(`${method} ${url}: ${statusCode} ${body}`)
  return JSON.parse(body)
}

const card = {
  number: '4242424242424242',
  exp_month: 12,
  exp_year: new Date().getFullYear() + 4,
  cvc: '123',
}

export async function createToken(run: WorkspaceAccess): Promise<string> {
  return (await create(run, '/tokens', { type: 'card', card })).id
}

const bankAccount = {
  iban: 'DE89370400440532013000',
  account_holder_name: 'Ada Lovelace',
  email: 'ada@example.com',
  mandate: { accepted_at: '2026-11-14T12:00:00.000Z', text_version: '2026-11' },
}

/** Creates a saved card of the customer, or a saved bank account for outcomes of debits. */
export async function createPaymentMethod(
  run: WorkspaceAccess,
  customerId: string,
  scenario: string,
): Promise<string> {
  const token = isDebited(scenario)
    ? (await create(run, '/tokens', { type: 'sepa_debit', sepa_debit: bankAccount })).id
    : await createToken(run)
  const { id } = await create(run, '/payment-methods', { token, metadata: { simulate: scenario } })
  await create(run, `/payment-methods/${id}/attach`, { customer_id: customerId })
  return id
}

/** The outcomes of debits are 8000 to 8999. */
const isDebited = (scenario: string) => scenario.startsWith('8')

/** Grants credit directly, because the API has no operation for it. */
export async function grantTestCredit(
  { harness, workspace }: WorkspaceAccess,
  customerId: string,
  amount: number,
): Promise<void> {
  const { workspaceId } = workspace
  await transact(harness.deps, systemCaller({ workspaceId, id: workspaceId }), (tx) =>
    grantCredit(tx, {
      customerId: customerId as Id<'customer'>,
      currency: 'eur',
      amount: BigInt(amount),
      reason: 'unused_time',
      invoiceId: null,
    }),
  )
}

/** The id of the object with this number in the scenario, from a response or from the database. */
export async function findId(
  { harness, workspace, floor, name }: ScenarioRun,
  knownIds: Map<number, string>,
  number: number,
  { table, kind, member }: { readonly table: string; readonly kind: Kind; readonly member: string },
): Promise<string | null> {
  const known = knownIds.get(number)
  if (known !== undefined) return known
  const { rows } = await harness.installation.ownerOf(workspace.workspaceId).query(
    `select id from ${table} where workspace_id = $1 and id >= $2
       and metadata->>'scenario' = $3 and metadata->>'${member}' = $4`,
    [uuidOf(workspace.workspaceId), floor, name, String(number)],
  )
  const found = rows[0]?.id
  if (found === undefined) return null
  const id = idFromUuid(kind, 'test', found)
  knownIds.set(number, id)
  return id
}
