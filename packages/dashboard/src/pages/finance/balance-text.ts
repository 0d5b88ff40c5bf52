/** Groups balances for the page: what is at each provider, what is owed, and all accounts. No side effects. */
import type { Balance } from '@switchyard/sdk'

export type Money = { readonly amount: number; readonly currency: string }
export type BalanceLine = {
  readonly title: string
  readonly explanation: string
  /** One amount per currency. */
  readonly amounts: readonly Money[]
}

const lines: readonly {
  readonly account: Balance['account']
  readonly title: string
  explanation: string
}[] = [
  {
    account: 'receivable',
    title: 'Owed by customers',
    explanation: 'Finalized invoices that are not paid yet.',
  },
  {
    account: 'credit',
    title: 'Credit balances',
    explanation: 'Customer credit, which is applied to future invoices.',
  },
  {
    account: 'disputes_held',
    title: 'Held for disputes',
    explanation: 'Amounts that providers have withdrawn until disputes are decided.',
  },
  {
    account: 'refunds_payable',
    title: 'Refunds in progress',
    explanation: 'Refunds that were requested and have no result yet.',
  },
  {
    account: 'unapplied',
    title: 'Unapplied payments',
    explanation: 'Captured money that is neither applied to an invoice nor returned yet.',
  },
  {
    account: 'suspense',
    title: 'Unexplained settlements',
    explanation: 'Amounts in settlement reports that match no payment, refund or fee.',
  },
  {
    account: 'unearned',
    title: 'Unearned revenue',
    explanation: 'Invoices for periods that have not ended.',
  },
  {
    account: 'tax_payable',
    title: 'Tax payable',
    explanation: 'Tax on finalized invoices, which you owe to the authorities.',
  },
]

export function balanceLines(balances: readonly Balance[]): readonly BalanceLine[] {
  return lines.map(({ account, title, explanation }) => ({
    title,
    explanation,
    amounts: balances.filter((balance) => balance.account === account),
  }))
}

/** The balances of one provider account, by currency. */
export type ProviderBalance = { readonly accountId: string; readonly amounts: readonly Money[] }

export function providerBalances(balances: readonly Balance[]): readonly ProviderBalance[] {
  const atProviders = balances.flatMap(({ provider_account_id: accountId, amount, currency }) =>
    accountId === null ? [] : [{ accountId, amount, currency }],
  )
  return [...Map.groupBy(atProviders, ({ accountId }) => accountId)].map(([accountId, amounts]) => ({
    accountId,
    amounts,
  }))
}

/** The sum of the debit balances of each currency, which equals the sum of the credit balances. */
export function totalsByCurrency(balances: readonly Balance[]): readonly Money[] {
  const debits = balances.filter(({ side }) => side === 'debit')
  return [...Map.groupBy(debits, ({ currency }) => currency)].map(([currency, group]) => ({
    currency,
    amount: group.reduce((sum, { amount }) => sum + amount, 0),
  }))
}
