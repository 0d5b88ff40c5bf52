import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import {
  BillingHistoryObject,
  BillingHistoryQuery,
  BillingReportObject,
  presentBilling,
  presentHistory,
} from './schema/billing.ts'
import { PaymentsQuery, PaymentsReportObject, presentPayments } from './schema/payments.ts'
import { reportBilling, reportBillingHistory } from './service/billing.ts'
import { reportPayments } from './service/payments.ts'

export const reportOperations = (deps: Deps) => [
  operation({
    id: 'reports.payments',
    method: 'GET',
    path: '/reports/payments',
    summary: 'Get the figures of payments over a time',
    description:
      'How many payments were created, succeeded and failed, what they took and gave back, and what was recovered by asking another provider.',
    query: PaymentsQuery,
    answer: PaymentsReportObject,
    present: presentPayments,
    verb: ({ caller, query }) => reportPayments(deps, caller, query),
  }),
  operation({
    id: 'reports.billing',
    method: 'GET',
    path: '/reports/billing',
    summary: 'Get the figures of recurring billing',
    description:
      'What subscriptions bring in a month, how many there are, what dunning has at risk, and what it brought back.',
    answer: BillingReportObject,
    present: presentBilling,
    verb: ({ caller }) => reportBilling(deps, caller),
  }),
  operation({
    id: 'reports.billing_history',
    method: 'GET',
    path: '/reports/billing/history',
    summary: 'Get the figures of recurring billing by the day',
    description: 'Of the last 30 days unless you say otherwise, for a chart.',
    query: BillingHistoryQuery,
    answer: BillingHistoryObject,
    present: presentHistory,
    verb: ({ caller, query }) => reportBillingHistory(deps, caller, query),
  }),
]
