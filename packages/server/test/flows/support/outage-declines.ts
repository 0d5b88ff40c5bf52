// Declined cards during an outage. The class of a decline determines whether another account may be tried,
// and an outage does not change that. The accounts that were called are read from the recorded calls of the
// emulators, which are independent of the attempts that Switchyard reports.

import { cardNumberForScenario } from '../../../../simulator/src/cards.ts'
import type { Simulator } from '../../../../simulator/src/index.ts'
import type { Api } from '../../support/emulated-accounts.ts'

export type OutageDecline = keyof typeof rules

/**
 * `accounts`: how many accounts may be called. `do_not_honor` permits one failover; the second decline ends the
 * payment, although there is a third account.
 */
const rules = {
  stolen_card: { networkCode: '43', class: 'hard', accounts: 1 },
  insufficient_funds: { networkCode: '51', class: 'soft, no failover', accounts: 1 },
  do_not_honor: { networkCode: '05', class: 'soft, one failover', accounts: 2 },
} as const

/** In each group of ten payments, the ones with these indexes use a declined card. */
export const declineByIndex: ReadonlyMap<number, OutageDecline> = new Map([
  [3, 'stolen_card'],
  [6, 'insufficient_funds'],
  [9, 'do_not_honor'],
])

export const cardWith = (number: string) => ({
  number,
  exp_month: 12,
  exp_year: new Date().getFullYear() + 4,
})

export function declinedCard(decline: OutageDecline) {
  return cardWith(cardNumberForScenario(`00${rules[decline].networkCode}`))
}

type Result = {
  readonly id: string
  readonly decline: OutageDecline | null
  readonly overloaded: boolean
  readonly unresolved: boolean
}
export type PhaseResults = {
  readonly [Phase in 'before' | 'during' | 'after']: readonly Result[]
}

export type DeclineCounts = {
  readonly phase: keyof PhaseResults
  readonly decline: OutageDecline
  readonly class: string
  readonly payments: number
  /** Payments whose outcome was unknown when the request ended, because the failing account was tried. */
  readonly unresolved: number
  readonly oneAccount: number
  readonly twoAccounts: number
  readonly moreAccounts: number
}

export type DeclineReport = {
  readonly counts: readonly DeclineCounts[]
  /** Payments that called more or fewer accounts than the class of the decline permits, or that did not fail. */
  readonly violations: readonly string[]
}

type Merchant = { readonly api: Api; readonly accounts: readonly string[] }

/** Call this once every outcome is known. */
export async function reportDeclines(
  simulator: Simulator,
  { api, accounts }: Merchant,
  results: PhaseResults,
): Promise<DeclineReport> {
  const called = await accountsCalled(simulator, accounts)
  const counts: DeclineCounts[] = []
  const violations: string[] = []
  for (const phase of ['before', 'during', 'after'] as const)
    for (const decline of declineByIndex.values()) {
      const payments = results[phase].filter((result) => result.decline === decline && !result.overloaded)
      counts.push(countsOf(phase, decline, payments, called))
      for (const payment of payments) violations.push(...(await violationsOf(api, payment, called)))
    }
  return { counts: counts.filter(({ payments }) => payments > 0), violations }
}

type AccountsByPayment = ReadonlyMap<string, ReadonlySet<string>>
type RecordedCall = {
  readonly method: string
  readonly path: string
  readonly idempotency_key: string | null
}

/** The accounts that were asked to charge, by payment: the idempotency key begins with the end of the payment's id. */
async function accountsCalled(simulator: Simulator, accounts: readonly string[]): Promise<AccountsByPayment> {
  const called = new Map<string, Set<string>>()
  for (const account of accounts) {
    const { calls } = await simulator.control<{ calls: readonly RecordedCall[] }>('GET', `${account}/calls`)
    const charges = calls.filter(
      ({ method, path }) => method === 'POST' && /\/payment(_intent)?s$/.test(path),
    )
    for (const { idempotency_key: key } of charges) {
      const paymentId = `payment_test_${key?.slice(0, 26)}`
      called.set(paymentId, (called.get(paymentId) ?? new Set()).add(account))
    }
  }
  return called
}

function countsOf(
  phase: keyof PhaseResults,
  decline: OutageDecline,
  payments: readonly Result[],
  called: AccountsByPayment,
): DeclineCounts {
  const countWith = (matches: (accounts: number) => boolean) =>
    payments.filter(({ id }) => matches(called.get(id)?.size ?? 0)).length
  return {
    phase,
    decline,
    class: rules[decline].class,
    payments: payments.length,
    unresolved: payments.filter(({ unresolved }) => unresolved).length,
    oneAccount: countWith((accounts) => accounts === 1),
    twoAccounts: countWith((accounts) => accounts === 2),
    moreAccounts: countWith((accounts) => accounts > 2),
  }
}

/**
 * A payment that was unresolved may be declined long after it was created, when the time limit of failover has passed.
 * So it may have called fewer accounts.
 */
async function violationsOf(
  { get }: Api,
  { id, decline, unresolved }: Result,
  called: AccountsByPayment,
): Promise<readonly string[]> {
  const { body } = await get(`/payments/${id}`)
  const accounts = called.get(id)?.size ?? 0
  const expected = decline === null ? 1 : rules[decline].accounts
  const isPermitted = unresolved ? accounts >= 1 && accounts <= expected : accounts === expected
  const isReported = body.attempts_count === accounts
  if (isPermitted && isReported && body.status === 'failed' && body.amount_captured === 0) return []
  return [`${id}: ${decline}, ${accounts} accounts called, ${body.attempts_count} attempts, ${body.status}`]
}
