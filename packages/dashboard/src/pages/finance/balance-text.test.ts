import type { Balance } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { balanceLines, providerBalances, totalsByCurrency } from './balance-text.ts'

const balance = (account: string, amount: number, members: object = {}) =>
  ({ account, amount, side: 'debit', provider_account_id: null, currency: 'eur', ...members }) as Balance

const balances = [
  balance('clearing', 100, { provider_account_id: 'north' }),
  balance('clearing', 40, { provider_account_id: 'south' }),
  balance('receivable', 7),
  balance('sales', 147, { side: 'credit' }),
  balance('clearing', 5, { provider_account_id: 'north', currency: 'usd' }),
  balance('sales', 5, { side: 'credit', currency: 'usd' }),
]

test('each provider account has one amount per currency', () => {
  const amountsOf = providerBalances(balances).map(({ accountId, amounts }) => [
    accountId,
    amounts.map(({ amount, currency }) => `${amount} ${currency}`),
  ])

  expect(amountsOf).toEqual([
    ['north', ['100 eur', '5 usd']],
    ['south', ['40 eur']],
  ])
})

test('an account without postings has no amounts', () => {
  const lines = balanceLines(balances)

  expect(lines.find(({ title }) => title === 'Owed by customers')?.amounts).toMatchObject([{ amount: 7 }])
  expect(lines.find(({ title }) => title === 'Unearned revenue')?.amounts).toEqual([])
})

test('the total of a currency is the sum of its debit balances', () => {
  expect(totalsByCurrency(balances)).toEqual([
    { currency: 'eur', amount: 147 },
    { currency: 'usd', amount: 5 },
  ])
})
