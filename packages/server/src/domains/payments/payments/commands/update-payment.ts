/** Changes the description and metadata of a payment. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { canonical } from '../../../../kernel/json.ts'
import { mergeMetadata } from '../../../../kernel/metadata.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import { updateAndEmit } from '../operations/update-and-emit.ts'
import type { EditableFields, Payment } from '../payment.ts'
import { lockPayment } from '../store/payments.ts'

export type UpdatePaymentInput = {
  readonly description?: string | null | undefined
  readonly metadata?: Readonly<Record<string, string | null>> | undefined
  readonly ifMatch: number | null
}

/** Providers still receive the original values, because a repeated request must be equal to the first. */
export function updatePayment(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdatePaymentInput,
): Promise<Payment> {
  return transact(deps, caller, async (tx) => {
    const before = await lockPayment(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const changed: EditableFields = {
      description: input.description === undefined ? before.description : input.description,
      metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
    }
    // Nothing changed, so no event is emitted.
    if (canonical(changed) === canonical(editableFieldsOf(before))) return before
    return updateAndEmit(
      tx,
      before,
      { ...changed, sentFields: before.sentFields ?? editableFieldsOf(before) },
      events.paymentUpdated,
    )
  })
}

function editableFieldsOf({ description, metadata }: Payment): EditableFields {
  return { description, metadata }
}
