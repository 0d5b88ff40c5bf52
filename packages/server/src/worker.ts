/** Everything that happens by itself, on one screen. */
import type { Work } from './deps.ts'
import { expireApiTokens } from './domains/api-tokens/work.ts'
import { purgeVaults } from './domains/card-tokens/work.ts'
import { serveWebhookEndpoints } from './domains/deliveries/work.ts'
import { expirePaymentMethods } from './domains/payment-methods/work.ts'
import { expirePayments, resolvePayments } from './domains/payments/work.ts'
import { probeProviderAccounts, releaseProviderAccounts } from './domains/provider-accounts/work.ts'
import { processProviderEvents } from './domains/provider-webhooks/work.ts'
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
  sweepWebhookEndpoints as Work,
  runRecoveries as Work,
  serveWebhookEndpoints as Work,
]
