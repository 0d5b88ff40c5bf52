import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import {
  BillingHistoryObject,
  BillingHistoryQuery,
  BillingQuery,
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
    summary: 'Get the payments report',
    description:
      'Returns the number of created, succeeded and failed payments, the captured and refunded volume, and what was recovered by failover to another provider account.',
    query: PaymentsQuery,
    response: PaymentsReportObject,
    present: presentPayments,
    handle: ({ caller, query }) => reportPayments(deps, caller, query),
  }),
  operation({
    id: 'reports.billing',
    method: 'GET',
    path: '/reports/billing',
    summary: 'Get the billing report',
    description:
      'Returns monthly recurring revenue, subscriptions by status, the amount at risk in dunning, and the amount recovered by dunning.',
    query: BillingQuery,
    response: BillingReportObject,
    present: presentBilling,
    handle: ({ caller, query }) => reportBilling(deps, caller, query),
  }),
  operation({
    id: 'reports.billing_history',
    method: 'GET',
    path: '/reports/billing/history',
    summary: 'Get the billing report by day',
    description: 'Returns daily figures for charts, by default for the last 30 days.',
    query: BillingHistoryQuery,
    response: BillingHistoryObject,
    present: presentHistory,
    handle: ({ caller, query }) => reportBillingHistory(deps, caller, query),
  }),
]
