/** Formats the result of a dry run. No side effects. */
import type { RouteSimulation } from '@switchyard/sdk'
import { moneyText } from '../../../format/money.ts'
import { countText } from '../../../format/text.ts'
import type { NameOf } from '../../accounts.ts'

export type Result = NonNullable<RouteSimulation['result']>
export type Segment = { readonly name: string; readonly payments: number }

export const noProvider = 'no provider'
export const unchanged = 'no change'

/** Rerouted payments by previous and by new account; unchanged payments are one segment of both. */
export function beforeAfter(
  { payments, elsewhere, moves }: Result,
  nameOf: NameOf,
): { readonly before: readonly Segment[]; readonly after: readonly Segment[] } {
  const unchangedSegment: Segment = { name: unchanged, payments: payments - elsewhere }
  const sum = (side: 'from_provider_account_id' | 'to_provider_account_id'): Segment[] => {
    const sums = new Map<string, number>()
    for (const move of moves) {
      const id = move[side]
      const name = id === null ? noProvider : nameOf(id)
      sums.set(name, (sums.get(name) ?? 0) + move.payments)
    }
    return [...sums].map(([name, count]) => ({ name, payments: count }))
  }
  return {
    before: [unchangedSegment, ...sum('from_provider_account_id')],
    after: [unchangedSegment, ...sum('to_provider_account_id')],
  }
}

export function unrouted({ moves }: Result): number {
  return moves
    .filter(({ to_provider_account_id: to }) => to === null)
    .reduce((sum, { payments }) => sum + payments, 0)
}

/** "3.4 more approved (−0.8 to +7.6), n = 118", or that there is not enough data. */
export function approvalText({ expected, rated_payments: rated }: Result['approvals']): string {
  if (expected === null) return 'not enough data'
  const change = `${Math.abs(expected.change).toFixed(1)} ${expected.change < 0 ? 'fewer' : 'more'} approved`
  return `${change} (${signed(expected.low)} to ${signed(expected.high)}), n = ${rated.toLocaleString('en')}`
}

export type CostChange = Result['costs'][number]

/** "This route would have cost €4.12 less." */
export function costSentence({ change, currency }: CostChange): string {
  if (change === 0) return `This route would have cost the same in ${currency.toUpperCase()}.`
  return `This route would have cost ${moneyText(Math.abs(change), currency)} ${change < 0 ? 'less' : 'more'}.`
}

/** "Estimated at €14.12 instead of €18.24, for 120 payments. The cost of 3 payments is unknown." */
export function costDetails(cost: CostChange): string {
  const { currency, payments, unknown_payments: unknown } = cost
  const simulated = moneyText(cost.simulated_amount, currency)
  const estimate = `Estimated at ${simulated} instead of ${moneyText(cost.actual_amount, currency)}, for ${countText(payments, 'payment')}.`
  return unknown === 0 ? estimate : `${estimate} The cost of ${countText(unknown, 'payment')} is unknown.`
}

export type SettledCostChange = Result['settled_costs'][number]

/** "Cost now: €1,204.10. With this route: €1,180.00 to €1,195.40.", or that it is unknown. */
export function settledCostSentence(cost: SettledCostChange): string {
  const { currency, actual_amount: actual, simulated_low: low, simulated_high: high } = cost
  if (actual === null || low === null || high === null)
    return `The cost of payments in ${currency.toUpperCase()} is unknown.`
  const [from, to] = [moneyText(low, currency), moneyText(high, currency)]
  return `Cost now: ${moneyText(actual, currency)}. With this route: ${low === high ? from : `${from} to ${to}`}.`
}

/** "Covers 93.2% of 5,160 payments.", or why the cost is unknown. */
export function settledCostDetails({ covered_payments: covered, payments }: SettledCostChange): string {
  if (covered === 0)
    return `Not enough settlement data for ${countText(payments, 'payment')}: each account needs at least 200 settled payments of the same kind.`
  return `Covers ${shareText(covered, payments)} of ${countText(payments, 'payment')}.`
}

export function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`
}

export function shareText(part: number, whole: number): string {
  return whole === 0 ? '0%' : `${((part / whole) * 100).toFixed(1).replace(/\.0$/, '')}%`
}
