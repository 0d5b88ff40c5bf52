/**
 * The postings of settlement: fees, rounding, conversions and payouts of an import, unexplained lines, and their
 * resolutions. `postings.ts` uses this mapping. No side effects.
 */
import type { Id } from '../../../kernel/id.ts'
import type { AccountName, Kinds, Movement } from './postings.ts'

/** The business transactions of payout entries. Amounts are positive; `act` determines the direction. */
const entryMovements = {
  processing_fee_charged: { debit: 'fees', credit: 'clearing' },
  processing_fee_returned: { debit: 'clearing', credit: 'fees' },
  scheme_fee_charged: { debit: 'fees', credit: 'clearing' },
  scheme_fee_returned: { debit: 'clearing', credit: 'fees' },
  interchange_fee_charged: { debit: 'fees', credit: 'clearing' },
  interchange_fee_returned: { debit: 'clearing', credit: 'fees' },
  account_fee_charged: { debit: 'fees', credit: 'clearing' },
  account_fee_returned: { debit: 'clearing', credit: 'fees' },
  rounding_lost: { debit: 'rounding', credit: 'clearing' },
  rounding_gained: { debit: 'clearing', credit: 'rounding' },
  payout_paid: { debit: 'cash', credit: 'clearing' },
  payout_returned: { debit: 'clearing', credit: 'cash' },
  currency_sold: { debit: 'fx', credit: 'clearing' },
  currency_bought: { debit: 'clearing', credit: 'fx' },
} as const
export type EntryActName = keyof typeof entryMovements

const lineMovements = {
  unexplained_received: { debit: 'clearing', credit: 'suspense' },
  unexplained_withdrawn: { debit: 'suspense', credit: 'clearing' },
} as const

export type SettlementAct =
  | {
      readonly act: EntryActName
      readonly entryId: Id<'payout_entry'>
      /** Null for lines that name no payout. */
      readonly payoutId: Id<'payout'> | null
      readonly providerAccountId: Id<'provider_account'>
      readonly line: number
      readonly amount: bigint
    }
  | {
      readonly act: 'payout_failed'
      readonly payoutId: Id<'payout'>
      readonly providerAccountId: Id<'provider_account'>
      readonly line: number
      readonly amount: bigint
    }
  | {
      readonly act: keyof typeof lineMovements
      readonly lineId: Id<'settlement_line'>
      readonly providerAccountId: Id<'provider_account'>
      readonly line: number
      readonly amount: bigint
    }
  | {
      /** A person decided what an unexplained amount is: income, a fee, or money moved outside of payouts. */
      readonly act: 'unexplained_credited' | 'unexplained_debited'
      readonly lineId: Id<'settlement_line'>
      readonly account: AccountName
      readonly line: number
      readonly amount: bigint
    }

export function isSettlementAct(act: { readonly act: string }): act is SettlementAct {
  return Object.hasOwn(settlementKinds, act.act)
}

export function settlementMovementOf(act: SettlementAct): Movement {
  const { amount } = act
  switch (act.act) {
    case 'payout_failed':
      return { debit: 'clearing', credit: 'cash', amount }
    case 'unexplained_received':
    case 'unexplained_withdrawn':
      return { ...lineMovements[act.act], amount }
    case 'unexplained_credited':
      return { debit: 'suspense', credit: act.account, amount }
    case 'unexplained_debited':
      return { debit: act.account, credit: 'suspense', amount }
    default:
      return { ...entryMovements[act.act], amount, debitObjectId: act.payoutId ?? act.entryId }
  }
}

const ofEntry: Kinds = { cause: 'payout_entry', debit: 'payout', credit: 'payout_entry' }
const ofLine: Kinds = { cause: 'settlement_line', debit: 'settlement_line', credit: 'settlement_line' }

export const settlementKinds: { readonly [A in SettlementAct['act']]: Kinds } = {
  processing_fee_charged: ofEntry,
  processing_fee_returned: ofEntry,
  scheme_fee_charged: ofEntry,
  scheme_fee_returned: ofEntry,
  interchange_fee_charged: ofEntry,
  interchange_fee_returned: ofEntry,
  account_fee_charged: ofEntry,
  account_fee_returned: ofEntry,
  rounding_lost: ofEntry,
  rounding_gained: ofEntry,
  payout_paid: ofEntry,
  payout_returned: ofEntry,
  currency_sold: ofEntry,
  currency_bought: ofEntry,
  payout_failed: { cause: 'payout', debit: 'payout', credit: 'payout' },
  unexplained_received: ofLine,
  unexplained_withdrawn: ofLine,
  unexplained_credited: ofLine,
  unexplained_debited: ofLine,
}
