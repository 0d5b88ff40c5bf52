/**
 * Subscription changes in the portal. A change is previewed first, and confirming it applies exactly that
 * preview. If the amounts have changed since, the customer sees a new preview instead.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { amountsOfDraft } from '../../../../kernel/invoice-lines.ts'
import { amountFor } from '../../../../kernel/price-schemes.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { unlessRefused } from '../../../../platform/refusals.ts'
import { findProductNames, type Price, requirePrice } from '../../products/service.ts'
import {
  cancelSubscription,
  pauseSubscription,
  resumeSubscription,
  updateSubscription,
} from '../../subscriptions/service/commands.ts'
import { previewChange } from '../../subscriptions/service/preview.ts'
import { getSubscription } from '../../subscriptions/service/read.ts'
import { actionsFor, type PortalAction, portalActions } from '../portal.ts'
import { renderChange, renderPlans } from '../portal-page.ts'
import { shownSubscription } from '../shown-subscription.ts'
import { contextOf } from './overview.ts'
import type { Portal } from './sessions.ts'

type Subscription = Awaited<ReturnType<typeof getSubscription>>

export type ChangeRequest = {
  readonly subscriptionId: string
  readonly action: string
  /** For `switch`: the price that the customer chose. */
  readonly priceId: string | undefined
  readonly languages: string
}

/** The error codes of changes that are not possible in the current state of the subscription. */
const impossible = [
  'invalid_state',
  'scheduled_change_conflict',
  'mixed_interval',
  'price_inactive',
  'reference_not_found',
  'test_clock_advancing',
] as const

/** The preview of a change, or the choice of plans. Null if the change is not possible now. */
export async function showChange(
  deps: Deps,
  portal: Portal,
  request: ChangeRequest,
  isStale = false,
): Promise<string | null> {
  const { caller } = portal
  const { frame, configuration } = await contextOf(deps, portal, request.languages)
  const subscription = await requireOwn(deps, portal, request.subscriptionId)
  const action = portalActions.find((name) => name === request.action) ?? refuseMissing()
  if (!actionsFor(subscription, configuration).includes(action)) return null
  const prices =
    action === 'switch' ? await pricesFor(deps, caller, subscription, configuration.switchPrices) : []
  if (action === 'switch' && request.priceId === undefined)
    return renderPlans({ frame, subscription: await shown(deps, caller, subscription), prices })
  const priceId = request.priceId ?? null
  if (action === 'switch' && !prices.some(({ id }) => id === priceId)) return null
  const preview = await unlessRefused(impossible, () =>
    previewChange(deps, caller, subscription.id, bodyOf(action, subscription, priceId)),
  )
  if (preview === null || preview.token === null) return null
  return renderChange({
    frame,
    action,
    isStale,
    before: await shown(deps, caller, subscription),
    after: await shown(deps, caller, preview.subscription),
    dueNow: preview.invoices.reduce((sum, invoice) => sum + amountsOfDraft(invoice).total, 0n),
    pending: amountsOfDraft({ currency: subscription.currency, lines: preview.pendingLines }).total,
    priceId,
    token: preview.token,
  })
}

/** Refuses a subscription of another customer as if it did not exist. */
async function requireOwn(deps: Deps, { caller, session }: Portal, id: string): Promise<Subscription> {
  const subscription = await getSubscription(deps, caller, id)
  return subscription.customerId === session.customerId ? subscription : refuseMissing()
}

function refuseMissing(): never {
  return refuse('not_found', { detail: 'There is no such page.' })
}

function shown(deps: Deps, caller: Caller, subscription: Subscription) {
  const prices = subscription.items.map(({ priceId }) => priceId)
  return read(deps, caller, async (view) =>
    shownSubscription(subscription, await findProductNames(view, prices)),
  )
}

type OfferedPrice = {
  readonly id: Id<'price'>
  readonly name: string
  readonly amount: bigint
  readonly recurring: NonNullable<Price['recurring']>
  readonly currency: Price['currency']
}

/** The configured prices that this subscription can switch to. */
async function pricesFor(
  deps: Deps,
  caller: Caller,
  subscription: Subscription,
  ids: readonly Id<'price'>[],
): Promise<readonly OfferedPrice[]> {
  return read(deps, caller, async (view) => {
    const names = await findProductNames(view, ids)
    const offered: OfferedPrice[] = []
    for (const id of ids) {
      const price = await unlessRefused(['reference_not_found', 'price_inactive'], () =>
        requirePrice(view, id),
      )
      const offer = price === null ? null : offerOf(price, subscription)
      if (offer !== null) offered.push({ ...offer, name: names.get(id) ?? id })
    }
    return offered
  })
}

/** Null if the subscription cannot switch to the price, or its amount cannot be shown exactly. */
function offerOf(
  { id, active, currency, recurring, unitAmountDecimal, pricing, meterId }: Price,
  { items: [item], currency: billed }: Subscription,
): Omit<OfferedPrice, 'name'> | null {
  if (item === undefined || recurring === null || meterId !== null || !active) return null
  if (currency !== billed || id === item.priceId || unitAmountDecimal?.includes('.')) return null
  return { id, currency, recurring, amount: amountFor({ unitAmountDecimal, pricing }, item.quantity) }
}

/** The preview and the command have the same body. */
function bodyOf(
  action: PortalAction,
  subscription: Subscription,
  priceId: string | null,
): Parameters<typeof previewChange>[3] {
  const [item] = subscription.items
  switch (action) {
    case 'cancel':
      return { action: 'cancel', at: subscription.status === 'paused' ? 'now' : 'period_end' }
    case 'pause':
      return { action: 'pause', at: 'period_end' }
    case 'resume':
      return { action: 'resume' }
    case 'keep':
      return { action: 'update', scheduled_change: null }
    case 'switch':
      return { action: 'update', items: [{ id: item?.id ?? '', price_id: priceId ?? '' }] }
  }
}

export type ChangeResult = 'saved' | 'stale' | 'impossible'

/** Commits the preview that the token identifies. */
export async function commitChange(
  deps: Deps,
  portal: Portal,
  request: ChangeRequest & { readonly token: string },
): Promise<ChangeResult> {
  const { caller } = portal
  const { configuration } = await contextOf(deps, portal, request.languages)
  const subscription = await requireOwn(deps, portal, request.subscriptionId)
  const action = portalActions.find((name) => name === request.action) ?? refuseMissing()
  if (!actionsFor(subscription, configuration).includes(action)) return 'impossible'
  const priceId = request.priceId ?? null
  const isOffered = configuration.switchPrices.some((id) => id === priceId)
  if (action === 'switch' && !isOffered) return 'impossible'
  const { action: _, ...body } = bodyOf(action, subscription, priceId)
  const input = { ...body, preview_token: request.token, ifMatch: null }
  const codes = [...impossible, 'preview_stale', 'conflict'] as const
  const after = await unlessRefused(codes, () => commandFor(action)(deps, caller, subscription.id, input))
  return after === null ? 'stale' : 'saved'
}

type Run = (deps: Deps, caller: Caller, id: string, input: never) => Promise<Subscription>

function commandFor(
  action: PortalAction,
): (deps: Deps, caller: Caller, id: string, input: object) => Promise<Subscription> {
  const commands: { readonly [A in PortalAction]: Run } = {
    cancel: cancelSubscription,
    pause: pauseSubscription,
    resume: resumeSubscription,
    keep: updateSubscription,
    switch: updateSubscription,
  }
  const run = commands[action]
  return (deps, caller, id, input) => run(deps, caller, id, input as never)
}
