// What happens at the providers, which report it by webhook: a bank opens and decides disputes, and the merchant refunds
// a payment on the website of the provider.

import type { AccountKind } from './account-kinds.ts'
import { chargeTotals } from './check-payments.ts'
import { advanceTime, fetchLedgerEntries, type PaymentRun, type ScenarioRun } from './scenario-run.ts'

export const disputeChanges = ['open', 'inquire', 'review', 'win', 'lose', 'close', 'escalate'] as const
export type DisputeChange = (typeof disputeChanges)[number]

/** The members of a dispute at its provider that the checks compare. */
export type ProviderDispute = {
  readonly id: string
  readonly stage: string
  readonly status: string
  readonly amount: number
  readonly withdrawn: boolean
}
export type ReportedDispute = {
  readonly account: string
  readonly kind: AccountKind
  readonly paymentId: string
  readonly record: ProviderDispute
}

/** The kinds of accounts whose connectors support disputes. */
export const kindsWithDisputes: readonly AccountKind[] = ['simulator', 'stripe', 'adyen']
/** The kinds of accounts whose connectors support SEPA debits. */
export const kindsWithDebits: readonly AccountKind[] = ['simulator', 'stripe']

type Members = { readonly stage?: string; readonly status?: string }

/** The changes that a provider can make, by stage and status. Anything else does not occur at a real provider. */
const possibleChanges: { readonly [state: string]: { readonly [C in DisputeChange]?: Members } } = {
  'inquiry needs_response': {
    review: { status: 'under_review' },
    close: { status: 'closed' },
    escalate: { stage: 'chargeback', status: 'needs_response' },
  },
  'inquiry under_review': {
    close: { status: 'closed' },
    escalate: { stage: 'chargeback', status: 'needs_response' },
  },
  'chargeback needs_response': {
    review: { status: 'under_review' },
    win: { status: 'won' },
    lose: { status: 'lost' },
  },
  'chargeback under_review': { win: { status: 'won' }, lose: { status: 'lost' } },
  'chargeback won': { escalate: { stage: 'pre_arbitration', status: 'needs_response' } },
  'pre_arbitration needs_response': { win: { status: 'won' }, lose: { status: 'lost' } },
}

/** Adyen does not report the end of an inquiry. Stripe does not reopen a dispute that it has decided. */
function isReported(kind: AccountKind, change: DisputeChange, { status }: ProviderDispute): boolean {
  if (kind === 'adyen') return change !== 'close'
  return kind !== 'stripe' || change !== 'escalate' || status !== 'won'
}

type DisputeAction = { readonly change: DisputeChange; readonly share: number }

/**
 * The last change of each run. A bank decides a dispute once, so concurrent actions make their changes one
 * after the other.
 */
const lastChanges = new WeakMap<readonly ReportedDispute[], Promise<string>>()

/** Opens a dispute against the payment, or changes the one that is open. */
export function disputePayment(run: PaymentRun, paymentId: string, action: DisputeAction): Promise<string> {
  const previous = lastChanges.get(run.disputes) ?? Promise.resolve('')
  const change = previous.then(() => openOrChange(run, paymentId, action))
  lastChanges.set(run.disputes, change)
  return change
}

async function openOrChange(
  run: PaymentRun,
  paymentId: string,
  { change, share }: DisputeAction,
): Promise<string> {
  // Some providers report times in whole seconds, so two changes of a dispute must be at least a second
  // apart.
  await advanceTime(run, 1_000)
  const index = run.disputes.findLastIndex((dispute) => dispute.paymentId === paymentId)
  const dispute = run.disputes[index]
  if (change === 'open' || change === 'inquire')
    return dispute === undefined ? openDispute(run, paymentId, change, share) : 'the payment has a dispute'
  if (dispute === undefined) return 'there is no dispute'
  const { stage, status } = dispute.record
  const members = possibleChanges[`${stage} ${status}`]?.[change]
  if (members === undefined || !isReported(dispute.kind, change, dispute.record)) return 'not possible'
  run.disputes[index] = { ...dispute, record: await changeAtProvider(run, dispute, members) }
  return 'done'
}

async function openDispute(
  run: PaymentRun,
  paymentId: string,
  change: 'open' | 'inquire',
  share: number,
): Promise<string> {
  const charge = await findCharge(run, paymentId)
  if (charge === null) return 'nothing to dispute'
  const { account, kind, captured } = charge
  const body = {
    parent_reference: charge.reference,
    amount: Math.max(1, Math.floor(captured * share)),
    stage: change === 'inquire' ? 'inquiry' : 'chargeback',
  }
  const record = await run.harness.simulator.control<ProviderDispute>('POST', `${account}/disputes`, body)
  run.disputes.push({ account, kind, paymentId, record })
  return `${record.id} is opened`
}

type Charge = {
  readonly account: string
  readonly kind: AccountKind
  readonly reference: string
  readonly captured: number
}

/** The captured charge of the payment, if the connector of its account supports reports about it. */
async function findCharge(
  { harness, workspace }: ScenarioRun,
  paymentId: string,
  supportedKinds: readonly AccountKind[] = kindsWithDisputes,
): Promise<Charge | null> {
  for (const [index, account] of workspace.accounts.entries()) {
    const kind = workspace.kinds[index] as AccountKind
    const entries = await fetchLedgerEntries(harness, account)
    const charge = entries.find(({ fact, payment_id }) => fact === 'charge' && payment_id === paymentId)
    const { captured = 0 } = chargeTotals(entries).find(({ payment }) => payment === paymentId) ?? {}
    if (charge !== undefined && captured > 0 && supportedKinds.includes(kind))
      return { account, kind, reference: charge.reference, captured }
  }
  return null
}

export async function refundAtProvider(run: PaymentRun, paymentId: string, share: number): Promise<string> {
  const charge = await findCharge(run, paymentId)
  if (charge === null) return 'nothing to refund'
  const { account, reference, captured } = charge
  const amount = Math.max(1, Math.floor(captured * share))
  const isRefunded = await actAtProvider(run, account, 'refunds', { parent_reference: reference, amount })
  return isRefunded ? `${amount} is refunded` : 'the provider refuses'
}

/**
 * Reports every returned debit again, because providers repeat a webhook until it is delivered. Returns false if there is
 * none.
 */
export async function repeatReturnReports(run: ScenarioRun): Promise<boolean> {
  let hasReturns = false
  for (const [index, account] of run.workspace.accounts.entries()) {
    const entries = (await fetchLedgerEntries(run.harness, account)).slice(run.ledgerEntriesBefore[index])
    for (const { parent_reference } of entries.filter(({ fact }) => fact === 'return')) {
      hasReturns = true
      await actAtProvider(run, account, 'returns', { parent_reference })
    }
  }
  return hasReturns
}

/** A bank can return a debit that it has confirmed, once. */
export async function returnDebit(run: ScenarioRun, paymentId: string): Promise<string> {
  const charge = await findCharge(run, paymentId, kindsWithDebits)
  if (charge === null) return 'nothing to return'
  const isReturned = await actAtProvider(run, charge.account, 'returns', {
    parent_reference: charge.reference,
  })
  return isReturned ? 'done' : 'not possible'
}

/** Webhooks are on during the action, because the provider repeats its webhook until it is delivered. */
async function actAtProvider(
  { harness: { simulator }, scenario }: ScenarioRun,
  account: string,
  action: 'refunds' | 'returns',
  body: object,
): Promise<boolean> {
  await simulator.control('PUT', `${account}/config`, { webhooks: 'on' })
  const isAccepted = await simulator.control('POST', `${account}/${action}`, body).then(
    () => true,
    () => false,
  )
  await simulator.control('PUT', `${account}/config`, { webhooks: scenario.webhooks })
  return isAccepted
}

function changeAtProvider(
  { harness }: PaymentRun,
  { account, record }: ReportedDispute,
  members: Members,
): Promise<ProviderDispute> {
  return harness.simulator.control('PUT', `${account}/disputes`, { id: record.id, ...members })
}

/** Reports every dispute again, because providers repeat a webhook until it is delivered. */
export async function repeatDisputeReports(run: PaymentRun): Promise<void> {
  const { harness, scenario, disputes } = run
  await advanceTime(run, 1_000)
  for (const dispute of disputes) {
    const configure = (webhooks: string) =>
      harness.simulator.control('PUT', `${dispute.account}/config`, { webhooks })
    await configure('on')
    await changeAtProvider(run, dispute, {})
    await configure(scenario.webhooks)
  }
}
