import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import {
  Balances,
  LedgerPostingObject,
  ListBalances,
  ListLedgerPostings,
  presentBalances,
  presentPosting,
} from './schema.ts'
import { listBalances } from './service/balances.ts'
import { listPostings } from './service/list.ts'

export const ledgerOperations = (deps: Deps) => [
  operation({
    id: 'balances.list',
    method: 'GET',
    path: '/balances',
    summary: 'List balances',
    description:
      'Returns the balance of each account of the ledger, per currency and, for `clearing`, per provider account. Per currency, the balances of debit accounts and of credit accounts have the same sum.',
    query: ListBalances,
    response: Balances,
    present: presentBalances,
    handle: ({ caller, query }) => listBalances(deps, caller, query),
  }),
  operation({
    id: 'ledger_postings.list',
    method: 'GET',
    path: '/ledger-postings',
    summary: 'List ledger postings',
    description:
      'Returns postings in the order of their causes, newest first. Can be filtered by the payment, invoice or customer that the money belongs to.',
    query: PageQuery(ListLedgerPostings),
    response: PageOf(LedgerPostingObject),
    errors: ['invalid_cursor'],
    present: presentPage('/ledger-postings', presentPosting),
    handle: ({ caller, query }) =>
      listPostings(deps, caller, rangeOf('ledger_posting', caller.mode, query), query),
  }),
]
