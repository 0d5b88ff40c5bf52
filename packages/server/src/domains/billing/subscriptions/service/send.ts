/** Sends refunds after the commit. If this process crashes, the payment resolver sends them. */
import type { Deps } from '../../../../deps.ts'
import { monotonicMs } from '../../../../kernel/clock.ts'
import { runInBackground } from '../../../payments/payments/operations/run.ts'
import type { PaymentToSend } from './store-plans.ts'

export type { PaymentToSend } from './store-plans.ts'

export function sendPayment(deps: Deps, { ref, progress }: PaymentToSend): Promise<void> {
  return runInBackground(deps, ref, progress, monotonicMs())
}
