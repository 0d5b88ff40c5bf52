/** Describes the state of the reconciliation, and the difference of a line. No side effects. */
import type { Reconciliation, SettlementLine } from '@switchyard/sdk'
import { moneyText } from '../../format/money.ts'

type Counts = Pick<Reconciliation, 'matched' | 'amount_differs' | 'missing_here' | 'missing_there'>

/** `9,998,112 matched, 1,204 differ, 12 missing here, 672 missing at the provider`. */
export function countsText(counts: Counts): string {
  const number = (value: number) => value.toLocaleString('en')
  return [
    `${number(counts.matched)} matched`,
    `${number(counts.amount_differs)} ${counts.amount_differs === 1 ? 'differs' : 'differ'}`,
    `${number(counts.missing_here)} missing here`,
    `${number(counts.missing_there)} missing at the provider`,
  ].join(', ')
}

export function differenceText(line: SettlementLine): string {
  const { status, amount, currency, recorded_amount: recorded } = line
  const settled = moneyText(amount, currency)
  if (status === 'missing_here') return `${settled} settled, but not recorded here`
  if (status === 'missing_there') return `${settled} recorded here, but not settled in time`
  if (recorded === null) return settled
  return `${settled} settled, ${moneyText(recorded, currency)} recorded`
}
