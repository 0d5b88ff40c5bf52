/** Determines which postings a line is matched with. No side effects. */
import { assert } from '../../../kernel/assert.ts'
import type { Kind } from '../../../kernel/id.ts'

/** For each ledger act that a line can be matched with, the kind of the object that caused it. */
const kindsByAct: { readonly [act: string]: Kind } = {
  payment_captured: 'operation',
  refund_succeeded: 'refund',
  refund_returned: 'refund',
  dispute_withdrawn: 'dispute',
  dispute_returned: 'dispute',
  payout_paid: 'payout',
}

export function kindOfMatch(act: string): Kind {
  const kind = kindsByAct[act]
  assert(kind !== undefined, `Lines are not matched with ${act}: add it to kindsByAct.`)
  return kind
}
