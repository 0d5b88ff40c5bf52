/** Lists the operations of an account since a given time, oldest first, in the format of the protocol. */
import type { Reply } from './faults.ts'
import { errorReply } from './records.ts'
import type { Account, Operation } from './simulator-state.ts'

const maxLimit = 100

/** The cursor is the position after the last operation of the previous page. */
export function listOperations(account: Account, query: URLSearchParams): Reply {
  const since = Date.parse(query.get('since') ?? '')
  const limit = Number(query.get('limit') ?? maxLimit)
  const start = Number(query.get('cursor') ?? 0)
  const isValid = Number.isInteger(limit) && limit > 0 && Number.isInteger(start) && start >= 0
  if (Number.isNaN(since) || !isValid)
    return errorReply(400, 'invalid_query', 'since must be a time; limit and cursor must be integers.')
  const operations = [...account.operations.values()]
  const listed: object[] = []
  let position = start
  for (; position < operations.length && listed.length < Math.min(limit, maxLimit); position++) {
    const entry = entryOf(operations[position] as Operation)
    if (entry !== null && Date.parse(entry.created_at) >= since) listed.push(entry)
  }
  const next = position < operations.length ? String(position) : null
  return { status: 200, body: { operations: listed, next } }
}

/** Null if the operation was not received or not executed. */
function entryOf({ record, request, created_at }: Operation) {
  if (record === null || request === null || created_at === undefined) return null
  const { capture, payment_id, parent_reference } = request
  // The action is only for the payer.
  const { action: _, ...shown } = record
  return {
    ...shown,
    capture,
    payment_id,
    ...(parent_reference === null ? {} : { parent_reference }),
    created_at,
  }
}
