// Compares the database records with the providers' ledgers, which show what happened to the money, and
// checks that the records are consistent. Each check returns one sentence per violation.

import { paymentMachine } from '../../src/domains/payments/payments/machine.ts'
import { ledgerDifferences } from '../support/ledger.ts'
import {
  disputedAmountsAreNotRefunded,
  disputesHaveNoConflicts,
  disputesMatchProviders,
} from './check-disputes.ts'
import { networkLimitsAreRespected, routesAreFollowed } from './check-routes.ts'
import { checkSettlement } from './check-settlement.ts'
import { countByKind, type KindCounts } from './kind-counts.ts'
import {
  type EventRow,
  hasOpenReview,
  type PaymentRow,
  type Records,
  readRecords,
  wireIdOf,
} from './records.ts'
import {
  fetchCalls,
  fetchLedgerEntries,
  type LedgerEntry,
  type PaymentRun,
  type ProviderCall,
  type ScenarioRun,
} from './scenario-run.ts'

/** The input of the checks that apply to payments of every kind of scenario. */
export type CheckInput = {
  readonly records: Records
  /** The ledger entries of both providers. */
  readonly ledgerEntries: readonly LedgerEntry[]
  readonly run: ScenarioRun
}
type PaymentCheckInput = CheckInput & {
  /** The calls to both providers, in the order of each provider. */
  readonly calls: readonly ProviderCall[]
  readonly run: PaymentRun
}
type Check = (input: CheckInput) => readonly string[]

/** The ledger entries that the providers added during the scenario. */
export async function ledgerEntriesIn({
  harness,
  workspace,
  ledgerEntriesBefore,
}: ScenarioRun): Promise<LedgerEntry[]> {
  const ledgers = await Promise.all(workspace.accounts.map((account) => fetchLedgerEntries(harness, account)))
  // A bank can return a debit long after the scenario of its payment has ended.
  return ledgers.flatMap((ledger, index) => {
    const before = ledgerEntriesBefore[index] ?? 0
    const earlier = new Set(ledger.slice(0, before).map(({ payment_id }) => payment_id))
    return ledger.slice(before).filter(({ payment_id }) => !earlier.has(payment_id))
  })
}

/** Adds the violations to the run, and counts what happened at each kind of account. */
export async function checkPayments(run: PaymentRun): Promise<KindCounts> {
  const { harness, workspace, callsBefore } = run
  const records = await readRecords(run)
  const ledgerEntries = await ledgerEntriesIn(run)
  const callsByAccount = await Promise.all(workspace.accounts.map((account) => fetchCalls(harness, account)))
  const calls = callsByAccount.flatMap((all, index) => all.slice(callsBefore[index]))
  const input: PaymentCheckInput = { records, ledgerEntries, calls, run }
  const violations = [
    paymentViolations(input),
    returnedPaymentsExist(input),
    routesAreFollowed(input),
    networkLimitsAreRespected(input),
    disputesMatchProviders(input),
    disputesHaveNoConflicts(input),
    disputedAmountsAreNotRefunded(input),
  ]
  run.violations.push(...violations.flat(), ...(await ledgerViolations(run)))
  await checkSettlement(run, records)
  const callsOfAccount = (index: number) => (callsByAccount[index] ?? []).slice(callsBefore[index])
  return countByKind(run, records, [callsOfAccount(0), callsOfAccount(1)])
}

/** The postings of our own ledger add up to the amounts of payments, invoices and credit balances. */
export async function ledgerViolations({ harness, workspace, floor }: ScenarioRun): Promise<string[]> {
  const differences = await ledgerDifferences(harness.deps, workspace.workspaceId, floor)
  return differences.map((difference) => `ledger: ${difference}`)
}

/** The totals of a charge at its provider. */
type ChargeTotals = {
  readonly payment: string
  readonly captured: number
  readonly refunded: number
  /** What the payer's bank has returned. */
  readonly reversed: number
  readonly netCaptured: number
  readonly authorized: number
}

export function chargeTotals(ledgerEntries: readonly LedgerEntry[]): ChargeTotals[] {
  const sum = (entries: readonly LedgerEntry[], kind: LedgerEntry['fact']) =>
    entries.filter(({ fact }) => fact === kind).reduce((total, { amount }) => total + amount, 0)
  return ledgerEntries
    .filter(({ fact }) => fact === 'charge')
    .map((charge) => {
      const isOfCharge = ({ parent_reference }: LedgerEntry) => parent_reference === charge.reference
      const ownEntries = ledgerEntries.filter(isOfCharge)
      // Some providers refund a capture and not the charge.
      const captures = ownEntries.filter(({ fact }) => fact === 'capture').map(({ reference }) => reference)
      const laterEntries = ledgerEntries.filter(
        (entry) => isOfCharge(entry) || captures.includes(entry.parent_reference ?? ''),
      )
      const captured = charge.capture ? charge.amount : sum(laterEntries, 'capture')
      const refunded = sum(laterEntries, 'refund')
      const reversed = sum(laterEntries, 'return')
      return {
        payment: charge.payment_id,
        captured,
        refunded,
        reversed,
        netCaptured: captured - refunded - reversed,
        authorized: charge.capture ? 0 : charge.amount - captured - sum(laterEntries, 'void'),
      }
    })
}

const isCharged = ({ netCaptured, authorized }: ChargeTotals) => netCaptured > 0 || authorized > 0

function chargedOnce({ records, ledgerEntries }: CheckInput): string[] {
  const charged = chargeTotals(ledgerEntries).filter(isCharged)
  const byPayment = Map.groupBy(charged, ({ payment }) => payment)
  const chargedTwice = [...byPayment].filter(([, charges]) => charges.length > 1)
  const orderByPayment = new Map(records.payments.map((row) => [wireIdOf(row.id), row.order_reference]))
  const byOrder = Map.groupBy(charged, ({ payment }) => orderByPayment.get(payment) ?? null)
  byOrder.delete(null)
  const orders = [...byOrder].filter(([, charges]) => charges.length > 1)
  return [
    ...chargedTwice.map(
      ([payment, charges]) => `double charge: ${payment} is charged ${charges.length} times`,
    ),
    ...orders.map(([order, charges]) => `double charge: order ${order} is charged ${charges.length} times`),
  ]
}

function ledgerEntriesHaveRecords({ records, ledgerEntries }: CheckInput): string[] {
  const known = new Set(records.payments.map(({ id }) => wireIdOf(id)))
  // Saving a card verifies it with a payment of zero.
  const unknownEntries = ledgerEntries.filter(
    ({ payment_id, fact }) => fact !== 'verification' && !known.has(payment_id),
  )
  return unknownEntries.map(
    ({ fact, amount, payment_id }) => `lost: a ${fact} of ${amount} for ${payment_id}, which has no record`,
  )
}

function currenciesMatch({ records, ledgerEntries }: CheckInput): string[] {
  const currencies = new Map(records.payments.map(({ id, currency }) => [wireIdOf(id), currency]))
  return ledgerEntries
    .filter(({ payment_id, currency }) => (currencies.get(payment_id) ?? currency) !== currency)
    .map(
      ({ fact, payment_id, currency }) =>
        `records differ: ${payment_id}: the ledger has a ${fact} in ${currency}`,
    )
}

/** The records match the ledgers, except for payments under review. */
function recordsMatchLedgers({ records, ledgerEntries }: CheckInput): string[] {
  return records.payments
    .filter(({ id, review }) => review === null && !hasOpenReview(records, id))
    .flatMap((row) => {
      const totals = chargeTotals(ledgerEntries.filter(({ payment_id }) => payment_id === wireIdOf(row.id)))
      const inLedgers = totals.reduce((sum, { netCaptured }) => sum + netCaptured, 0)
      const authorized = totals.reduce((sum, charge) => sum + charge.authorized, 0)
      const inRecords = row.amount_captured - row.amount_refunded - row.amount_reversed
      const violations =
        inRecords === inLedgers
          ? []
          : [`${inRecords} is captured according to the records, but ${inLedgers} according to the ledgers`]
      if (row.status === 'requires_capture' && authorized !== row.amount_capturable)
        violations.push(`amount_capturable is ${row.amount_capturable}, but the ledgers have ${authorized}`)
      if ((row.status === 'failed' || row.status === 'cancelled') && authorized !== 0)
        violations.push(`it is ${row.status}, but ${authorized} is still authorized`)
      return violations.map(
        (violation) => `records differ: ${wireIdOf(row.id)} (${row.status}): ${violation}`,
      )
    })
}

function reviewsHaveReasons({ records }: CheckInput): string[] {
  const explained = new Set(records.conflicts.map(({ payment_id }) => payment_id))
  return records.payments
    .filter(({ id, review }) => review !== null && !explained.has(id) && !hasOpenReview(records, id))
    .map(({ id, review }) => `review without a reason: ${wireIdOf(id)} is ${review}`)
}

const openStatuses = ['sending', 'pending', 'awaiting_customer', 'unknown']

function everythingFinishes({ records }: CheckInput): string[] {
  const open = records.operations.filter(({ status }) => openStatuses.includes(status))
  const unmarked = records.operations.filter(
    ({ status, payment_id, refund_id }) =>
      status === 'needs_review' &&
      // If a refund needs review, the refund is marked and not its payment.
      (refund_id === null
        ? records.payments.some(({ id, review }) => id === payment_id && review === null)
        : records.refunds.some(({ id, review }) => id === refund_id && review === null)),
  )
  const stuck = records.payments.filter(
    ({ id, status }) =>
      (status === 'processing' || status === 'requires_action') && !hasOpenReview(records, id),
  )
  const refunds = records.refunds.filter(
    ({ status, payment_id }) => status === 'pending' && !hasOpenReview(records, payment_id),
  )
  return [
    ...open.map(({ reference, kind, status }) => `never finishes: ${kind} ${reference} is ${status}`),
    ...unmarked.map(
      ({ reference }) => `review missing: ${reference} needs review, but its payment or refund is not marked`,
    ),
    ...stuck.map(({ id, status }) => `never finishes: ${wireIdOf(id)} is ${status}`),
    ...refunds.map(({ payment_id }) => `never finishes: a refund of ${wireIdOf(payment_id)} is pending`),
  ]
}

const activeStatuses = ['started', 'requires_action', 'unresolved', 'authorized', 'captured']

/** At most one attempt of a payment is active, and at most one authorization was approved. */
function oneActiveAttempt({ records }: CheckInput): string[] {
  const active = Map.groupBy(
    records.attempts.filter(({ status }) => activeStatuses.includes(status)),
    ({ payment_id }) => payment_id,
  )
  const approved = Map.groupBy(
    records.operations.filter(({ kind, status }) => kind === 'authorize' && status === 'succeeded'),
    ({ payment_id }) => payment_id,
  )
  return [
    ...[...active].filter(([, all]) => all.length > 1).map(([id]) => `two active attempts: ${wireIdOf(id)}`),
    ...[...approved].filter(([, all]) => all.length > 1).map(([id]) => `two approvals: ${wireIdOf(id)}`),
  ]
}

const sumOf = (rows: readonly { readonly amount: number }[]) =>
  rows.reduce((sum, { amount }) => sum + amount, 0)

/** The amounts of a payment equal the sums of its operations and refunds. */
function amountsAddUp({ records }: CheckInput): string[] {
  return records.payments.flatMap((row) => {
    const refunds = records.refunds.filter(({ payment_id }) => payment_id === row.id)
    const succeeded = records.operations.filter(
      ({ payment_id, status }) => payment_id === row.id && status === 'succeeded',
    )
    const captures = succeeded.filter(
      ({ kind, capture }) => kind === 'capture' || (kind === 'authorize' && capture),
    )
    const expected = {
      amount_captured: sumOf(captures),
      amount_refunded: sumOf(refunds.filter(({ status }) => status === 'succeeded')),
      amount_refunding: sumOf(refunds.filter(({ status }) => status === 'pending')),
    }
    const violations = amountViolations(row)
    for (const [name, sum] of Object.entries(expected)) {
      const actual = row[name as keyof typeof expected]
      if (actual !== sum) violations.push(`${name} is ${actual}, the sum of its parts is ${sum}`)
    }
    return violations.map((violation) => `amounts: ${wireIdOf(row.id)}: ${violation}`)
  })
}

type Amounts = Pick<
  PaymentRow,
  | 'status'
  | 'amount'
  | 'amount_capturable'
  | 'amount_captured'
  | 'amount_refunding'
  | 'amount_refunded'
  | 'amount_reversed'
>

function amountViolations(row: Amounts): string[] {
  const authorized = row.amount_capturable + row.amount_captured
  const returned = row.amount_refunding + row.amount_refunded + row.amount_reversed
  const hasFailed = row.status === 'failed' || row.status === 'cancelled'
  return [
    ...(authorized > row.amount ? [`${authorized} is capturable or captured of ${row.amount}`] : []),
    ...(returned > row.amount_captured
      ? [`${returned} is refunded or reversed of ${row.amount_captured}`]
      : []),
    ...(hasFailed && authorized > 0
      ? [`it is ${row.status}, but ${authorized} is capturable or captured`]
      : []),
    ...(row.status === 'succeeded' && row.amount_captured === 0
      ? ['it succeeded, but nothing was captured']
      : []),
  ]
}

/** Events have no gap, end at the current state, and follow transitions of the state machine. */
function historyIsComplete({ records }: CheckInput): string[] {
  const byObject = Map.groupBy(records.events, ({ object_id }) => object_id)
  const rows = [...records.payments, ...records.refunds, ...records.disputes]
  return rows.flatMap(({ id, sequence, status }) => {
    const objectEvents = byObject.get(id) ?? []
    const last = objectEvents.at(-1)
    const violations = objectEvents.some((event, index) => event.sequence !== index + 1)
      ? ['its events have a gap']
      : []
    if (last?.sequence !== sequence)
      violations.push(`its sequence is ${sequence}, but its last event has ${last?.sequence}`)
    if (last?.object.status !== status)
      violations.push(`its status is ${status}, but its last event has ${last?.object.status}`)
    return [...violations, ...findInvalidTransitions(objectEvents)].map(
      (violation) => `history: ${wireIdOf(id)}: ${violation}`,
    )
  })
}

function findInvalidTransitions(objectEvents: readonly EventRow[]): string[] {
  const paymentEvents = objectEvents.filter(({ type }) => type.startsWith('payment.'))
  const transitions = paymentEvents.slice(1).map((event, index) => ({
    from: (paymentEvents[index] as EventRow).object.status,
    to: event.object.status,
  }))
  const invalid = transitions.filter(({ from, to }) => from !== to && !isAllowedTransition(from, to))
  return [
    ...invalid.map(({ from, to }) => `its status changed from ${from} to ${to}`),
    ...paymentEvents.flatMap(({ object }) => amountViolations(object as unknown as Amounts)),
  ]
}

function isAllowedTransition(from: string, to: string): boolean {
  return paymentMachine.rows.some((row) => row.from === from && row.to === to)
}

/** A repeated request returns the response of the first one. */
function repeatedResponsesAreEqual({ run: { responses, sent } }: CheckInput): string[] {
  return [...responses].flatMap(([id, all]) => {
    // Confirming a session again returns its current state.
    if (sent.get(id)?.url.endsWith('/confirm')) return []
    const stored = all.filter(
      ({ status, text }) => status < 500 && !text.includes('"idempotency_key_in_use"'),
    )
    const comparable = new Set(
      stored.map(({ status, text }) => (status < 300 || status === 402 ? `${status} ${text}` : '')),
    )
    comparable.delete('')
    return comparable.size > 1 ? [`responses differ: request ${id} got ${[...comparable].join(' and ')}`] : []
  })
}

/** Every payment returned by the API exists. */
function returnedPaymentsExist({ records, run: { ids } }: PaymentCheckInput): string[] {
  const known = new Set(records.payments.map(({ id }) => wireIdOf(id)))
  return [...ids.values()]
    .filter((id) => !known.has(id))
    .map((id) => `payment missing: ${id} was returned by the API, but does not exist`)
}

const checks: readonly Check[] = [
  chargedOnce,
  ledgerEntriesHaveRecords,
  currenciesMatch,
  recordsMatchLedgers,
  reviewsHaveReasons,
  everythingFinishes,
  oneActiveAttempt,
  amountsAddUp,
  historyIsComplete,
  repeatedResponsesAreEqual,
]

/** The violations of the payments of any kind of scenario. */
export function paymentViolations(input: CheckInput): string[] {
  return checks.flatMap((check) => check(input))
}
