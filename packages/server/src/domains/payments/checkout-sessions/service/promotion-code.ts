/**
 * Promotion codes that payers enter. The page shows the discount of a code before the payer pays, and sends the code
 * again with the payment. The code is then validated again, and its redemption is reserved in the transaction that
 * writes the payment. Unknown codes count against the same limits as declined cards, so that codes cannot be guessed.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { amountOfItem } from '../../../../kernel/cart.ts'
import { type AttachedDiscount, type DiscountableLine, discountLines } from '../../../../kernel/discounts.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { minimumCharge } from '../../../../kernel/money.ts'
import { withoutKey } from '../../../../platform/db/resumable.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { findDiscountOfCode } from '../../../billing/discounts/service/attach.ts'
import { currentOffer } from '../../payment-links/service/offer.ts'
import type { VerifiedSession } from '../client-secret.ts'
import { decideAttempt } from '../limits.ts'
import type { CheckoutSession, NewSession } from '../session.ts'
import { findSessionOrNull } from '../store/sessions.ts'
import { countWrongCode, lockBudgets } from '../store/tries.ts'
import { budgetKeysOf } from './attempt-limits.ts'
import { requireAmount } from './chosen-amount.ts'
import { buildUnstoredSession } from './open.ts'
import { type ConfirmedOrder, withQuantities } from './order.ts'

export type Promotion = {
  readonly discount: AttachedDiscount
  /** What is charged now with the discount. */
  readonly amount: bigint
  /** The discount on the amount that is charged now. */
  readonly off: bigint
  /** The amount of each full period with the discount; null unless a subscription is sold. */
  readonly recurring: bigint | null
}

type Rejection = { readonly detail: string; readonly isUnknown?: true }
type Sale = NewSession & Pick<CheckoutSession, 'workspaceId'>

type Entered = {
  readonly code: string
  /** The choices of the payer. */
  readonly amount: number | undefined
  readonly quantities: readonly number[] | undefined
  /** Null before the payer has submitted the form. */
  readonly payer: EnteredPayer | null
  /** The IP address of the payer. */
  readonly address: string
}

type EnteredPayer = {
  readonly email: string | null
  /** The customer who has entered a code from an e-mail. */
  readonly payerId: Id<'customer'> | null
}

const noPayer: EnteredPayer = { email: null, payerId: null }

export async function saleOfSession(deps: Deps, caller: Caller, ref: VerifiedSession): Promise<Sale> {
  const stored = await read(deps, caller, (view) => findSessionOrNull(view, ref.id))
  return stored ?? buildUnstoredSession(deps, ref)
}

/** What the payer would pay with the code. An unknown code is counted, although the request is refused. */
export async function checkPromotionCode(
  deps: Deps,
  caller: Caller,
  sale: Sale,
  { code, amount, quantities, payer, address }: Entered,
): Promise<Promotion> {
  requireAllowed(sale)
  const chosen = { ...sale, lineItems: quantitiesOf(sale, quantities) }
  const total = requireAmount(chosen, amount)
  const keys = budgetKeysOf(deps, sale, { address, card: null }).map(({ scope, key }) => ({
    scope,
    key: `code ${key}`,
  }))
  const found = await transact(deps, withoutKey(caller), async (tx) => {
    const decision = decideAttempt(deps.checkoutLimits, await lockBudgets(tx, keys), null, tx.now)
    if (!decision.ok) return { waitSeconds: decision.waitSeconds }
    const promotion = await findPromotion(
      tx,
      { sale: chosen, amount: total, at: tx.now },
      code,
      payer ?? noPayer,
    )
    // A code that exists but does not apply, such as one that is used up, does not count as a guess.
    if ('isUnknown' in promotion) await countWrongCode(tx, decision.updates)
    return promotion
  })
  if ('waitSeconds' in found) return refuseLimit(found.waitSeconds)
  return 'detail' in found ? refuseCode(found) : found
}

function refuseCode({ detail }: Rejection): never {
  const errors = [
    { pointer: '/promotion_code', code: 'not_found', detail: 'cannot be used for this order' } as const,
  ]
  return refuse('discount_not_applicable', { detail, errors })
}

function refuseLimit(waitSeconds: number | null): never {
  return refuse('too_many_tries', {
    detail: 'Too many wrong promotion codes were entered. Pay without a code, or try again later.',
    ...(waitSeconds === null ? {} : { retryAfterSeconds: waitSeconds }),
  })
}

function requireAllowed({ allowPromotionCodes }: Sale): void {
  if (!allowPromotionCodes)
    refuseMember(
      '/promotion_code',
      'not_together',
      'cannot be used, because this page does not accept promotion codes',
    )
}

function quantitiesOf({ mode, lineItems }: Sale, quantities: readonly number[] | undefined) {
  return mode === 'subscription' ? withQuantities(lineItems ?? [], quantities) : lineItems
}

/** The order with the discount of the code that the payer entered. */
export async function withPromotionCode(
  tx: Tx,
  order: ConfirmedOrder,
  { promotionCode, email, payerId }: EnteredCode,
): Promise<ConfirmedOrder> {
  if (promotionCode === undefined) return order
  const { session, amount } = order
  requireAllowed(session)
  const at = order.order?.at ?? tx.now
  const payer = { email: email ?? null, payerId }
  const found = await findPromotion(tx, { sale: session, amount, at }, promotionCode, payer)
  if ('detail' in found) return refuseCode(found)
  const discountTotal = found.off === 0n ? null : found.off
  return {
    ...order,
    session: { ...session, discounts: [found.discount], discountTotal },
    amount: found.amount,
  }
}

type EnteredCode = {
  readonly promotionCode?: string | undefined
  readonly email?: string | null
  readonly payerId: Id<'customer'> | null
}

type Purchase = {
  readonly sale: Sale
  /** What a payment charges without a discount. */
  readonly amount: bigint
  readonly at: Date
}

async function findPromotion(
  tx: Tx,
  purchase: Purchase,
  code: string,
  { email, payerId }: EnteredPayer,
): Promise<Promotion | Rejection> {
  const { customerId, currency } = purchase.sale
  const lines = linesOf(purchase)
  const items = lines.map(({ amount }) => ({ unitAmountDecimal: String(amount), quantity: 1 }))
  const buyer = { customerId: customerId ?? payerId, email, currency, items }
  const found = await findDiscountOfCode(tx, buyer, code)
  if ('detail' in found) return found
  const applied = discountLines(currency, lines, [found.discount]).flat()
  const off = applied.reduce((sum, { amount }) => sum + amount, 0n)
  if (off === 0n) return { detail: 'The promotion code is for other products.' }
  return purchase.sale.mode === 'subscription'
    ? ofSubscription(purchase, found.discount)
    : ofPayment(purchase, found.discount, off)
}

/** A discount applies to the recurring items of a subscription, and to all items of a payment. */
function linesOf({ sale: { mode, lineItems }, amount }: Purchase): DiscountableLine[] {
  if (lineItems === null) return [{ amount, productId: null }]
  return lineItems
    .filter(({ recurring }) => mode === 'payment' || recurring !== undefined)
    .map((item) => ({
      amount: BigInt(amountOfItem(item)),
      productId: (item.product_id ?? null) as Id<'product'> | null,
    }))
}

function ofPayment(
  { sale: { currency }, amount }: Purchase,
  discount: AttachedDiscount,
  off: bigint,
): Promotion | Rejection {
  if (amount - off < minimumCharge(currency))
    return { detail: 'The discount leaves less than the smallest amount that can be charged.' }
  return { discount, amount: amount - off, off, recurring: null }
}

function ofSubscription({ sale, at }: Purchase, discount: AttachedDiscount): Promotion {
  const [full, reduced] = [[], [discount]].map((discounts) => currentOffer({ ...sale, discounts }, at))
  const amount = reduced?.dueNow ?? 0n
  return { discount, amount, off: (full?.dueNow ?? 0n) - amount, recurring: reduced?.recurring ?? null }
}
