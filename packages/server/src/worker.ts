/** Everything that happens by itself, on one screen. */
import type { Work } from './deps.ts'
import { expireApiTokens } from './domains/api-tokens/work.ts'
import { purgeVaults } from './domains/card-tokens/work.ts'
import {
  expireCheckoutSessions,
  sendReceipts,
  settleCheckoutSessions,
} from './domains/checkout-sessions/work.ts'
import { serveWebhookEndpoints } from './domains/deliveries/work.ts'
import { dunInvoices, endDunningCampaigns } from './domains/dunning-campaigns/work.ts'
import { collectInvoices, finalizeInvoices, settleInvoices } from './domains/invoices/work.ts'
import { expirePaymentLinks } from './domains/payment-links/work.ts'
import { expirePaymentMethods } from './domains/payment-methods/work.ts'
import { learnPaymentRoutes } from './domains/payment-routes/work.ts'
import { expirePayments, resolvePayments } from './domains/payments/work.ts'
import { probeProviderAccounts, releaseProviderAccounts } from './domains/provider-accounts/work.ts'
import { processProviderEvents } from './domains/provider-webhooks/work.ts'
import { countReports } from './domains/reports/work.ts'
import { runSimulations } from './domains/route-simulations/work.ts'
import { advanceSubscriptionsWork, settleSubscriptionsWork } from './domains/subscriptions/work.ts'
import { advanceTestClocks } from './domains/test-clocks/work.ts'
import { sweepWebhookEndpoints } from './domains/webhook-endpoints/work.ts'
import { runRecoveries } from './domains/webhook-recoveries/work.ts'

export const works: readonly Work[] = [
  expireApiTokens as Work,
  purgeVaults as Work,
  releaseProviderAccounts as Work,
  probeProviderAccounts as Work,
  expirePaymentMethods as Work,
  resolvePayments as Work,
  expirePayments as Work,
  processProviderEvents as Work,
  finalizeInvoices as Work,
  collectInvoices as Work,
  settleInvoices as Work,
  advanceTestClocks as Work,
  advanceSubscriptionsWork as Work,
  settleSubscriptionsWork as Work,
  dunInvoices as Work,
  endDunningCampaigns as Work,
  expirePaymentLinks as Work,
  expireCheckoutSessions as Work,
  settleCheckoutSessions as Work,
  sendReceipts as Work,
  sweepWebhookEndpoints as Work,
  runRecoveries as Work,
  runSimulations as Work,
  countReports as Work,
  learnPaymentRoutes as Work,
  serveWebhookEndpoints as Work,
]
