/** Captures and refunds of PaymentIntents. */
import type { Reply } from '../../faults.ts'
import { type AccountContext, finishOperation } from '../../run-operation.ts'
import type { Operation } from '../../simulator-state.ts'
import { requireAmount, toLedger } from './amounts.ts'
import { invalidRequest, missing } from './errors.ts'
import { changeReply, partOf, type Request, unexpectedState } from './intents.ts'
import { intentOfCharge, refundObject } from './objects.ts'
import { boolean, expand, integer, mapOf, metadata, oneOf, type Rules, text } from './parameters.ts'
import { perform, sendAs } from './perform.ts'
import { type Progress, progressOf } from './progress.ts'
import {
  claimOperation,
  findIntent,
  findRefund,
  type Intent,
  linkOperation,
  newId,
  nowSeconds,
  ownerOf,
  type Refund,
  repeatedRecord,
  save,
} from './stored.ts'

export const captureRules: Rules = {
  amount_to_capture: integer,
  final_capture: boolean,
  statement_descriptor_suffix: text(22),
  ...metadata,
  ...expand,
}

/** A final capture releases the rest. A final capture of 0 only releases it. */
export async function captureIntent({ context, values, key }: Request, intent: Intent): Promise<Reply> {
  const wanted = key ?? `${intent.id}-capture-${intent.captures.length + 1}`
  const repeated = repeatedRecord(context, wanted, key)
  if (repeated !== null) return changeReply(context, intent.id, repeated)
  const progress = progressOf(context.account, intent)
  if (progress.status !== 'requires_capture') throw unexpectedState(intent, progress, 'capture')
  const capturable = progress.authorized - progress.captured
  const amount = Number(values.amount_to_capture ?? capturable)
  const isFinal = values.final_capture !== 'false'
  const isRelease = amount === 0 && isFinal && progress.captured > 0
  requireCapture(intent, { amount, capturable, isFinal, isRelease })
  const addCapture = (reference: string) => {
    const capture = { reference, isFinal, metadata: mapOf(values, 'metadata') }
    return save(context, { ...intent, captures: [...intent.captures, capture] })
  }
  if (isRelease && capturable === 0) {
    // Nothing is left to release: the last capture becomes the final one.
    addCapture(intent.captures.at(-1)?.reference ?? '')
    return changeReply(context, intent.id, null)
  }
  const { reference } = claimOperation(context, wanted, { key, newOwner: intent.id })
  addCapture(reference)
  const performed = await perform(context, reference, {
    ...partOf(context, intent),
    kind: isRelease ? 'void' : 'capture',
    amount: toLedger(isRelease ? capturable : amount, intent.currency),
  })
  settle(context, intent.id)
  return sendAs(performed, changeReply(context, intent.id, performed.record))
}

type NewCapture = {
  readonly amount: number
  readonly capturable: number
  readonly isFinal: boolean
  readonly isRelease: boolean
}

function requireCapture({ currency, isMulticapture }: Intent, capture: NewCapture): void {
  const { amount, capturable, isFinal, isRelease } = capture
  if (!isFinal && !isMulticapture)
    throw invalidRequest('This PaymentIntent cannot be captured several times.', { param: 'final_capture' })
  if (!isRelease) requireAmount(amount, currency, 'amount_to_capture')
  if (amount > capturable)
    throw invalidRequest(`The amount to capture is greater than the capturable amount of ${capturable}.`, {
      code: 'amount_too_large',
      param: 'amount_to_capture',
    })
}

/**
 * Brings an intent up to date with operations that were decided since the last call: releases the rest after a final
 * capture, and adds refunds that were made at the provider.
 */
export function settle(context: AccountContext, id: string): Intent | undefined {
  const { account } = context
  const intent = findIntent(account, id)
  const root = account.operations.get(intent?.attempts.at(-1)?.reference ?? '')
  if (intent === undefined || root?.request == null) return intent
  releaseRest(context, intent, root)
  const made = account.ledger
    .factsOfPayment(root.request.payment_id)
    .filter(({ fact, parent_reference: parent }) => fact === 'refund' && parent === root.reference)
    .filter(({ reference }) => ownerOf(account, reference) === null)
    .map(({ reference }) => newRefund(context, intent, reference))
  return made.length === 0
    ? intent
    : save(context, { ...intent, refunds: [...intent.refunds, ...made.map((refund) => refund.id)] })
}

function releaseRest(context: AccountContext, intent: Intent, root: Operation): void {
  const { account } = context
  const { authorized, captured, isFinal } = progressOf(account, intent)
  const last = intent.captures.findLast((capture) => capture.isFinal)?.reference
  const reference = `${last}~release`
  const isReleased =
    account.operations.has(reference) || account.operations.get(last ?? '')?.request?.kind === 'void'
  if (last === undefined || root.request === null || !isFinal || captured >= authorized || isReleased) return
  const amount = toLedger(authorized - captured, intent.currency)
  const request = {
    ...root.request,
    reference,
    kind: 'void',
    parent_reference: root.reference,
    amount,
  } as const
  finishOperation(
    context,
    { ...root, reference, request, record: null, fingerprint: null, script: null },
    { type: 'approve' },
  )
}

export const refundRules: Rules = {
  amount: integer,
  charge: text(),
  payment_intent: text(),
  reason: oneOf('duplicate', 'fraudulent', 'requested_by_customer'),
  ...metadata,
  ...expand,
}

/** The intent that a refund names, directly or by its charge. */
export function refundedIntentId({ values }: Request): string {
  const { payment_intent: id, charge } = values
  if (id !== undefined) return id
  if (charge === undefined)
    throw invalidRequest('One of the following params should be provided: payment_intent or charge.')
  return intentOfCharge(charge)
}

export async function createRefund({ context, values, key }: Request, intent: Intent): Promise<Reply> {
  const { account } = context
  const metadata = mapOf(values, 'metadata')
  const wanted = metadata.switchyard_reference ?? key ?? newId('refund')
  const progress = progressOf(account, intent)
  const isRepeated = repeatedRecord(context, wanted, key) !== null
  const amount = isRepeated ? intent.amount : refundableAmount(intent, progress, values.amount)
  const claim = claimOperation(context, wanted, { key, newOwner: newId('re') })
  const refund =
    findRefund(account, claim.owner) ??
    newRefund(context, intent, claim.reference, { id: claim.owner, reason: values.reason ?? null, metadata })
  if (!intent.refunds.includes(refund.id))
    save(context, { ...intent, refunds: [...intent.refunds, refund.id] })
  const performed = await perform(context, claim.reference, {
    ...partOf(context, intent),
    kind: 'refund',
    amount: toLedger(amount, intent.currency),
  })
  const { record } = performed
  const body = record === null ? {} : refundObject(refund, record, intent, progress.charge)
  return sendAs(performed, { status: 200, body })
}

function refundableAmount(intent: Intent, { captured, refunded }: Progress, wanted?: string): number {
  if (captured === 0)
    throw invalidRequest(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`)
  const remaining = captured - refunded
  if (remaining <= 0)
    throw invalidRequest('The charge has already been refunded.', { code: 'charge_already_refunded' })
  const amount = Number(wanted ?? remaining)
  requireAmount(amount, intent.currency, 'amount')
  if (amount > remaining)
    throw invalidRequest(
      `Refund amount (${amount}) is greater than unrefunded amount on charge (${remaining}).`,
      { param: 'amount' },
    )
  return amount
}

function newRefund(
  context: AccountContext,
  intent: Intent,
  reference: string,
  details: Pick<Refund, 'id' | 'reason' | 'metadata'> = { id: newId('re'), reason: null, metadata: {} },
): Refund {
  if (ownerOf(context.account, reference) === null) linkOperation(context, reference, details.id, null)
  return save(context, { ...details, created: nowSeconds(context), reference, intent: intent.id })
}

/** The refund, or null if it was not executed. */
export function readRefund({ account }: AccountContext, id: string): object | null {
  const refund = id.startsWith('re_') ? findRefund(account, id) : undefined
  const intent = findIntent(account, refund?.intent ?? '')
  const record = account.operations.get(refund?.reference ?? '')?.record ?? null
  if (refund === undefined || intent === undefined || record === null || record.status === 'rejected')
    return null
  return refundObject(refund, record, intent, progressOf(account, intent).charge)
}

export function requireRefund(context: AccountContext, id: string): object {
  const refund = readRefund(context, id)
  if (refund === null) throw missing('refund', id)
  return refund
}
