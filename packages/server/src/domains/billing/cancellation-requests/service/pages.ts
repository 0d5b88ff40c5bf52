/** The public pages: the form, and the confirmation with the link in the e-mail. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { customerPagesOf } from '../../../../kernel/customer-pages.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Mode, Ref } from '../../../../kernel/id.ts'
import { readSlug } from '../../../../kernel/object-slug.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { unlessRefused } from '../../../../platform/refusals.ts'
import { findSeller } from '../../../access/organizations/service.ts'
import { findProductNames } from '../../products/service.ts'
import { previewChange } from '../../subscriptions/service/preview.ts'
import { getSubscription } from '../../subscriptions/service/read.ts'
import {
  type CancellationRequest,
  faultsOfForm,
  isDecidedByMerchant,
  type RequestForm,
} from '../cancellation-request.ts'
import {
  type Frame,
  renderConfirmation,
  renderForm,
  renderReceived,
  renderResult,
  renderStart,
} from '../page.ts'
import { cancelTimeOf, confirmRequest, endOf, getRequest, isOpen, receiveRequest } from '../service.ts'

export { callerForPayer } from '../../../payments/checkout-sessions/service/payer.ts'

const missing = 'There is no such page.'

/** An invalid slug is refused without a database query. */
export function requirePage({ linkKeys }: Deps, mode: Mode, slug: string): Ref<'workspace'> {
  return readSlug(linkKeys, 'workspace', mode, slug) ?? refuse('not_found', { detail: missing })
}

export function requireRequest({ linkKeys }: Deps, mode: Mode, slug: string): Ref<'cancellation_request'> {
  return readSlug(linkKeys, 'cancellation_request', mode, slug) ?? refuse('not_found', { detail: missing })
}

async function frameOf(deps: Deps, { workspaceId, mode }: Caller, locale: string): Promise<Frame> {
  const seller = await findSeller(deps, workspaceId)
  return {
    seller,
    locale,
    isTest: mode === 'test',
    url: customerPagesOf(deps, workspaceId).cancellationPage(),
  }
}

export async function showStart(deps: Deps, caller: Caller, locale: string): Promise<string> {
  return renderStart(await frameOf(deps, caller, locale))
}

export async function showForm(
  deps: Deps,
  caller: Caller,
  locale: string,
  form: RequestForm,
): Promise<string> {
  return renderForm({ frame: await frameOf(deps, caller, locale), form, faults: [], isLimited: false })
}

type Submission = { readonly form: RequestForm; readonly address: string; readonly locale: string }

/** Stores the request and shows its receipt, or shows the form again with its errors. */
export async function submitForm(deps: Deps, caller: Caller, submission: Submission): Promise<string> {
  const { form, locale } = submission
  const frame = await frameOf(deps, caller, locale)
  const faults = faultsOfForm(form)
  if (faults.length > 0) return renderForm({ frame, form, faults, isLimited: false })
  const request = await receiveRequest(deps, caller, submission)
  if (request === null) return renderForm({ frame, form, faults: [], isLimited: true })
  return renderReceived({ frame, request })
}

/** Opening the link changes nothing, because mail scanners open links too. */
export async function showConfirmation(
  deps: Deps,
  caller: Caller,
  { id }: Ref<'cancellation_request'>,
  { locale, isStale }: { readonly locale: string; readonly isStale: boolean },
): Promise<string> {
  const request = await getRequest(deps, caller, id)
  const frame = await frameOf(deps, caller, locale)
  if (request.status !== 'received') return showResult(deps, caller, request, frame)
  const preview = await previewOf(deps, caller, request)
  const url = customerPagesOf(deps, caller.workspaceId).confirmationPage(id)
  return renderConfirmation({ frame, request, preview, isStale, url })
}

/** Null if the merchant decides, or the subscription has already ended. */
async function previewOf(deps: Deps, caller: Caller, request: CancellationRequest) {
  const { subscriptionId } = request
  if (subscriptionId === null || isDecidedByMerchant(request)) return null
  const at = await cancelTimeOf(deps, caller, subscriptionId)
  const codes = ['invalid_state', 'scheduled_change_conflict', 'test_clock_advancing'] as const
  const preview = await unlessRefused(codes, () =>
    previewChange(deps, caller, subscriptionId, { action: 'cancel', at }),
  )
  if (preview === null || preview.token === null) return null
  const { items } = preview.subscription
  const names = await read(deps, caller, (view) =>
    findProductNames(
      view,
      items.map(({ priceId }) => priceId),
    ),
  )
  return {
    name: items.map(({ priceId }) => names.get(priceId) ?? priceId).join(', '),
    endAt: endOf(preview.subscription),
    token: preview.token,
  }
}

async function showResult(
  deps: Deps,
  caller: Caller,
  request: CancellationRequest,
  frame: Frame,
): Promise<string> {
  const isCompleted = request.status === 'completed' && request.subscriptionId !== null
  const endAt = isCompleted
    ? endOf(await getSubscription(deps, caller, request.subscriptionId as string))
    : null
  return renderResult({ frame, endAt, isDecided: !isOpen(request) })
}

/** Null if the preview has changed: the page is shown again. */
export async function submitConfirmation(
  deps: Deps,
  caller: Caller,
  { id }: Ref<'cancellation_request'>,
  { locale, token }: { readonly locale: string; readonly token: string },
): Promise<string | null> {
  const request = await confirmRequest(deps, caller, id, token)
  return request === null ? null : showResult(deps, caller, request, await frameOf(deps, caller, locale))
}
