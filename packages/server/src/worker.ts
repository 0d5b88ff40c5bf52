/** Everything that happens by itself, on one screen. */
import type { Work } from './deps.ts'
import { expireApiTokens } from './domains/api-tokens/work.ts'
import { serveWebhookEndpoints } from './domains/deliveries/work.ts'
import { sweepWebhookEndpoints } from './domains/webhook-endpoints/work.ts'
import { runRecoveries } from './domains/webhook-recoveries/work.ts'

export const works: readonly Work[] = [
  expireApiTokens as Work,
  sweepWebhookEndpoints as Work,
  runRecoveries as Work,
  serveWebhookEndpoints as Work,
]
