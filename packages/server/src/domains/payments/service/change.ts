/** What a merchant may change about a payment: words for people. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse } from '../../../kernel/errors.ts'
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import type { Payment, Words } from '../payment.ts'
import { lockPayment } from '../store/payments.ts'
import { tell } from './tell.ts'

export type ChangeInput = {
  readonly description?: string | null | undefined
  readonly metadata?: Readonly<Record<string, string | null>> | undefined
  readonly ifMatch: number | null
}

/** Providers go on to be told what they were told first: otherwise a repeat would be another request. */
export function updatePayment(deps: Deps, caller: Caller, id: string, input: ChangeInput): Promise<Payment> {
  return transact(deps, caller, async (tx) => {
    const before = await lockPayment(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const changed: Words = {
      description: input.description === undefined ? before.description : input.description,
      metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
    }
    // Nothing changed, so there is nothing to tell.
    if (canonical(changed) === canonical(wordsOf(before))) return before
    return tell(tx, before, { ...changed, sent: before.sent ?? wordsOf(before) }, events.paymentUpdated)
  })
}

function wordsOf({ description, metadata }: Payment): Words {
  return { description, metadata }
}
