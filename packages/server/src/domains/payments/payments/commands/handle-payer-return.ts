/**
 * Payer authentication. The URL in `next_action` redirects the payer to the provider page, which redirects
 * back. The return parameters are passed on to the provider; they do not determine the result.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Mode, Ref } from '../../../../kernel/id.ts'
import { read, transact } from '../../../../platform/db/unit-of-work.ts'
import { withTimeout } from '../../../../platform/engine/cancellable-sleep.ts'
import { acceptReturn, completeReturn } from '../operations/payer-return.ts'
import { verifyPayerLink } from '../payer-link.ts'
import type { Payment, ReturnParams } from '../payment.ts'
import { findPayment, lockPayment } from '../store/payments.ts'

/** How long the payer waits on an empty page. Slower calls continue in the background. */
const payerWaitMs = 10_000

/**
 * The URL to redirect the payer to; null if the merchant set no return URL. `fields`: the page is opened with a form.
 */
export type PayerRedirect = {
  readonly to: string | null
  readonly fields?: Readonly<Record<string, string>>
}

/** Redirects to the provider page while the payment requires the action, otherwise to the merchant. */
export async function redirectPayer(deps: Deps, mode: Mode, link: string): Promise<PayerRedirect> {
  const ref = requireLink(deps, mode, link)
  const payment = await read(deps, systemCaller(ref), (view) => findPayment(view, ref.id))
  const { nextAction } = payment
  if (nextAction === null) return { to: merchantReturnUrl(payment) }
  const { target: to, fields } = nextAction
  return fields === undefined ? { to } : { to, fields }
}

/** Requests the result from the provider, then redirects the payer, even if the result is not known yet. */
export async function handlePayerReturn(
  deps: Deps,
  mode: Mode,
  link: string,
  returnParams: ReturnParams,
): Promise<PayerRedirect> {
  const ref = requireLink(deps, mode, link)
  const { payment, operation } = await transact(deps, systemCaller(ref), async (tx) =>
    acceptReturn(tx, await lockPayment(tx, ref.id), returnParams),
  )
  // Reloading the page does not call the provider again.
  if (operation !== null) {
    const completion = completeReturn(deps, ref, operation, returnParams)
    deps.runInBackground(completion)
    await withTimeout(payerWaitMs, completion, undefined)
  }
  return { to: merchantReturnUrl(payment) }
}

function requireLink({ linkKeys }: Deps, mode: Mode, link: string): Ref<'payment'> {
  return (
    verifyPayerLink(linkKeys, mode, link) ??
    refuse('not_found', { detail: 'There is no payment at this address.' })
  )
}

/** The return URL contains only the payment id. The merchant's server gets the result from the API. */
function merchantReturnUrl({ returnUrl, id }: Payment): string | null {
  const url = returnUrl === null ? null : URL.parse(returnUrl)
  if (url === null || !/^https?:$/.test(url.protocol)) return null
  url.searchParams.set('payment_id', id)
  return url.href
}
