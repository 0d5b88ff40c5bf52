// The operations of the provider, and the list of operations since a given time.
export type OperationRequest = {
  kind: string
  amount: number
  currency: string
  capture: boolean
  parent_reference: string | null
  payment_id: string
  instrument: { type: string; number?: string; token?: string } | null
}

export type Entry = {
  record: { reference: string; status: string; [member: string]: unknown }
  /** An HMAC of the body, to recognize repeated requests. A plain hash of a card number could be guessed. */
  digest: string
  /** The reference of the authorization that the operation belongs to. */
  root: string
  kind: string
  amount: number
  capture: boolean
  /** The `parent` of the request. */
  parent: string | null
  paymentId: string
  createdAt: string
}

/** The entry of an operation that is closed before it was received. */
export function unknownEntry(reference: string): Entry {
  const record = { reference, status: 'pending' }
  const empty = { digest: '', root: '', kind: '', amount: 0, capture: false, parent: null, paymentId: '' }
  return { ...empty, record, createdAt: new Date().toISOString() }
}

/** The operations since a given time, oldest first. The cursor is the number of operations before the page. */
export function listSince(all: readonly Entry[], query: URLSearchParams): object {
  const since = Date.parse(query.get('since') ?? '')
  const [limit, start] = [Number(query.get('limit')), Number(query.get('cursor') ?? 0)]
  const entries = all.filter(({ createdAt }) => Date.parse(createdAt) >= since)
  const operations = entries
    .slice(start, start + limit)
    .map(({ record, capture, parent, paymentId, createdAt }) => ({
      ...record,
      capture,
      parent_reference: parent,
      payment_id: paymentId,
      created_at: createdAt,
    }))
  const end = start + operations.length
  return { operations, next: end < entries.length ? String(end) : null }
}
