/** All types of background work. */
import type { WorkType } from './deps.ts'
import { expireApiTokens, listApiTokensInDirectory } from './domains/access/api-tokens/work.ts'
import { dunInvoices, endDunningCampaigns } from './domains/billing/dunning-campaigns/work.ts'
import {
  applyPaymentResults,
  collectInvoices,
  computeTaxes,
  eraseParties,
  finalizeInvoices,
  recordTaxes,
  reopenInvoices,
} from './domains/billing/invoices/work.ts'
import { aggregateMeterEvents } from './domains/billing/meters/work.ts'
import {
  advanceSubscriptionsWork,
  applyInvoiceResultsWork,
  billUsageWork,
} from './domains/billing/subscriptions/work.ts'
import { advanceTestClocks } from './domains/billing/test-clocks/work.ts'
import {
  deleteExportFiles,
  runExports,
  scheduleExportDestinations,
  uploadExports,
} from './domains/finance/exports/work.ts'
import { backfillLedger, rollUpLedger } from './domains/finance/ledger/work.ts'
import { countReportEvents } from './domains/finance/reports/work.ts'
import { matchSettlementImports } from './domains/finance/settlement/work.ts'
import { purgeVaults } from './domains/payments/card-tokens/work.ts'
import {
  applyCheckoutPaymentResults,
  expireCheckoutSessions,
} from './domains/payments/checkout-sessions/work.ts'
import {
  deleteDisputeEvidence,
  markOverdueDisputes,
  sendDisputeResponses,
} from './domains/payments/disputes/work.ts'
import { deleteFiles } from './domains/payments/files/work.ts'
import { sendMails } from './domains/payments/mails/work.ts'
import { expirePaymentLinks } from './domains/payments/payment-links/work.ts'
import { expirePaymentMethods } from './domains/payments/payment-methods/work.ts'
import { expirePayments, resolvePayments } from './domains/payments/payments/work.ts'
import { learnApprovalRates } from './domains/routing/payment-routes/work.ts'
import { probeProviderAccounts, releaseProviderAccounts } from './domains/routing/provider-accounts/work.ts'
import { processProviderEvents } from './domains/routing/provider-webhooks/work.ts'
import { runSimulations } from './domains/routing/route-simulations/work.ts'
import { serveWebhookEndpoints } from './domains/webhooks/deliveries/work.ts'
import { sweepWebhookEndpoints } from './domains/webhooks/webhook-endpoints/work.ts'
import { runRecoveries } from './domains/webhooks/webhook-recoveries/work.ts'

export const workTypes: readonly WorkType[] = [
  expireApiTokens,
  listApiTokensInDirectory,
  purgeVaults,
  releaseProviderAccounts,
  probeProviderAccounts,
  expirePaymentMethods,
  resolvePayments,
  expirePayments,
  sendDisputeResponses,
  markOverdueDisputes,
  deleteDisputeEvidence,
  deleteFiles,
  processProviderEvents,
  aggregateMeterEvents,
  computeTaxes,
  finalizeInvoices,
  recordTaxes,
  collectInvoices,
  eraseParties,
  applyPaymentResults,
  reopenInvoices,
  advanceTestClocks,
  advanceSubscriptionsWork,
  applyInvoiceResultsWork,
  billUsageWork,
  dunInvoices,
  endDunningCampaigns,
  expirePaymentLinks,
  expireCheckoutSessions,
  applyCheckoutPaymentResults,
  sendMails,
  sweepWebhookEndpoints,
  runRecoveries,
  runSimulations,
  countReportEvents,
  rollUpLedger,
  backfillLedger,
  runExports,
  deleteExportFiles,
  uploadExports,
  scheduleExportDestinations,
  matchSettlementImports,
  learnApprovalRates,
  serveWebhookEndpoints,
]
