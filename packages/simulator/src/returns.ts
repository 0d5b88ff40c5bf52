/** Returns of debits by the bank of the payer, after they were settled. */
import { createHash } from 'node:crypto'
import type { Reply } from './faults.ts'
import { sumsOf } from './ledger.ts'
import { errorReply } from './records.ts'
import type { AccountContext } from './run-operation.ts'
import { returnMsOf } from './scenarios.ts'
import { type Operation, saveReturn } from './simulator-state.ts'

/** The record of the `custom` protocol. */
export type ReturnRecord = {
  readonly id: string
  readonly parent_reference: string
  readonly amount: number
  readonly currency: string
  readonly reason_code: string
}

type Members = { readonly [name: string]: unknown }

/**
 * Returns a settled debit. Everything but `parent_reference` has a default. A debit is returned once: repeating the call
 * only sends the webhook again.
 */
export async function returnDebit(
  context: AccountContext,
  { parent_reference: parent, reason_code: reason }: Members,
): Promise<Reply> {
  const { state, account } = context
  const debit = typeof parent === 'string' ? account.operations.get(parent) : undefined
  if (debit?.request == null || debit.record?.status !== 'succeeded')
    return errorReply(400, 'invalid', 'A return requires the parent_reference of a settled debit.')
  const { amount, currency, payment_id } = debit.request
  const id = `ret_${createHash('sha256').update(`${account.name}/${debit.reference}`).digest('hex').slice(0, 24)}`
  const record = {
    id,
    parent_reference: debit.reference,
    amount,
    currency,
    reason_code: String(reason ?? reasonIn(currency)),
  }
  if (sumsOf(account.ledger.factsOfPayment(payment_id)).reversed === 0) {
    saveReturn(state, account, {
      fact: 'return',
      reference: id,
      parent_reference: debit.reference,
      payment_id,
      amount,
      currency,
      capture: false,
      provider_reference: id,
      at: new Date(state.clock.now()).toISOString(),
    })
    await state.journal.durable()
  }
  await account.outbox.sendReturn(record)
  return { status: 200, body: record }
}

/** The payer did not authorize the debit, as a code of SEPA, Nacha or Bacs. */
function reasonIn(currency: string): string {
  return { usd: 'R10', gbp: '5' }[currency] ?? 'MD06'
}

/** Schedules the return that the test account specifies. */
export function scheduleReturn(context: AccountContext, { scenario, reference, request }: Operation): void {
  const delayMs = request?.kind === 'authorize' ? returnMsOf(scenario) : null
  if (delayMs === null) return
  const { clock } = context.state
  clock.schedule(clock.now() + delayMs, () => returnDebit(context, { parent_reference: reference }))
}
