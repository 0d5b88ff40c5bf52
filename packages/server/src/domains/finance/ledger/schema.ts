import { type Static, Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
import { toSafeNumber } from '../../../kernel/money.ts'
import { CreatedAt, IdOf, nullableWithNullExample, OneOf, Time } from '../../../kernel/shapes.ts'
import { type AccountSums, balanceOf } from './balance.ts'
import type { StoredPosting } from './posting.ts'
import { type AccountName, type ActName, accounts, kindsByAct } from './postings.ts'

export const accountNames = Object.keys(accounts) as AccountName[]
const acts = Object.keys(kindsByAct) as ActName[]

const currency = OneOf(currencies, {
  description: 'Three-letter ISO 4217 currency code in lowercase.',
  examples: ['eur'],
  loggable: true,
})

const accountName = (example: AccountName) =>
  OneOf(accountNames, { description: 'Name of the account.', examples: [example], loggable: true })

const side = (verb: string, account: AccountName) =>
  Type.Object(
    {
      account: accountName(account),
      object_id: IdOf(
        'payment',
        'ID of the payment, dispute, invoice or customer that the money belongs to.',
      ),
    },
    { description: `The account that is ${verb}.` },
  )

export const LedgerPostingObject = Type.Object(
  {
    id: IdOf('ledger_posting'),
    object: Type.Literal('ledger_posting'),
    act: OneOf(acts, {
      description: 'Type of business event that the posting records.',
      examples: ['payment_captured'],
      loggable: true,
    }),
    cause_id: IdOf(
      'operation',
      'ID of the operation, payment, refund, dispute, invoice or credit entry that caused the posting.',
    ),
    debit: side('debited', 'clearing'),
    credit: side('credited', 'sales'),
    provider_account_id: nullableWithNullExample(
      IdOf(
        'provider_account',
        'ID of the provider account that has the money. Null unless one of the accounts is `clearing`.',
      ),
    ),
    amount: Type.Integer({
      minimum: 1,
      description: 'Amount in minor units.',
      examples: [1299],
      loggable: true,
    }),
    currency,
    effective_at: {
      ...Time,
      description:
        'Time of the change that the posting records. On a test clock it is the time of the clock.',
    },
    created_at: CreatedAt,
  },
  { $id: 'LedgerPosting', description: 'One movement of money between two accounts of the ledger.' },
)

export const ListLedgerPostings = {
  object_id: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only postings of this payment, dispute, invoice or customer.',
    }),
  ),
}

export function presentPosting(posting: StoredPosting): Static<typeof LedgerPostingObject> {
  return {
    id: posting.id,
    object: 'ledger_posting',
    act: posting.act,
    cause_id: posting.causeId,
    debit: { account: posting.debitAccount, object_id: posting.debitObjectId },
    credit: { account: posting.creditAccount, object_id: posting.creditObjectId },
    provider_account_id: posting.providerAccountId,
    amount: Number(posting.amount),
    currency: posting.currency,
    effective_at: posting.effectiveAt.toISOString(),
    created_at: posting.bookedAt.toISOString(),
  }
}

export const ListBalances = Type.Object(
  {
    as_of: Type.Optional(
      Type.String({
        format: 'date',
        description:
          'Last day, in UTC: only postings with an `effective_at` before the end of this day are included. Default: all postings.',
        examples: ['2026-11-14'],
      }),
    ),
  },
  { additionalProperties: false },
)

const BalanceObject = Type.Object(
  {
    object: Type.Literal('balance'),
    account: accountName('clearing'),
    side: OneOf(['debit', 'credit'], {
      description: 'The side on which the account increases.',
      examples: ['debit'],
      loggable: true,
    }),
    provider_account_id: nullableWithNullExample(
      IdOf(
        'provider_account',
        'ID of the provider account that has the money. Null unless the account is `clearing`.',
      ),
    ),
    currency,
    amount: Type.Integer({
      description:
        'Balance in minor units: debits minus credits for a debit account, credits minus debits for a credit account. May be negative.',
      examples: [1_248_020],
      loggable: true,
    }),
  },
  { $id: 'Balance', description: 'The balance of an account of the ledger in one currency.' },
)

export const Balances = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(BalanceObject, {
    description: 'Balances of all accounts with postings, sorted by currency, account and provider account.',
  }),
  has_more: Type.Literal(false),
  url: Type.Literal('/balances'),
})

export function presentBalances(sums: readonly AccountSums[]): Static<typeof Balances> {
  const data = sums.map((sum) => ({
    object: 'balance' as const,
    account: sum.account,
    side: accounts[sum.account],
    provider_account_id: sum.providerAccountId,
    currency: sum.currency,
    amount: toSafeNumber(balanceOf(sum)),
  }))
  return { object: 'list', data, has_more: false, url: '/balances' }
}
