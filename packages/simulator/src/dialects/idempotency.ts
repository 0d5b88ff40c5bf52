/** Idempotency keys: a repeated request returns the stored response of the first one. */
import { createHash } from 'node:crypto'
import type { Reply } from '../faults.ts'
import type { AccountContext } from '../run-operation.ts'
import { findObject, saveObject } from '../simulator-state.ts'

type StoredReply = {
  readonly fingerprint: string
  readonly at: number
  readonly status: number
  readonly body?: object | string
}

export type IdempotentRequest = {
  readonly key: string
  /** Everything that must be equal in a repeated request. */
  readonly content: string
  readonly windowMs: number
  /** The response if the key was used with different content. */
  readonly conflict: Reply
  /** The response while the first request is still being processed. */
  readonly inProgress: Reply
  /** Whether to store this response. If omitted, every response is stored. */
  isStored?(reply: Reply): boolean
  /** The headers of a repeated response. */
  readonly replayHeaders?: { readonly [name: string]: string }
}

const running = new WeakMap<object, Set<string>>()

/**
 * Runs the request once per key. With `replay: false` in the configuration of the account it runs every time. The
 * response mode of a fault is not stored: it affects only the first response. A 500 of the provider is stored as such.
 */
export async function withIdempotencyKey(
  context: AccountContext,
  request: IdempotentRequest,
  run: () => Reply | Promise<Reply>,
): Promise<Reply> {
  if (!context.account.config.replay) return run()
  const keys = running.get(context.account) ?? new Set<string>()
  running.set(context.account, keys)
  const earlier = replyToRepeat(context, request)
  if (earlier !== null) return earlier
  if (keys.has(request.key)) return request.inProgress
  keys.add(request.key)
  try {
    const reply = await run()
    storeReply(context, request, reply)
    return reply
  } finally {
    keys.delete(request.key)
  }
}

/** Null if there is no stored response for the key. */
function replyToRepeat({ state, account }: AccountContext, request: IdempotentRequest): Reply | null {
  const stored = findObject(account, nameOf(request)) as StoredReply | undefined
  if (stored === undefined || state.clock.now() - stored.at >= request.windowMs) return null
  if (stored.fingerprint !== fingerprintOf(request)) return request.conflict
  const { status, body } = stored
  const headers = request.replayHeaders
  return { status, ...(body === undefined ? {} : { body }), ...(headers === undefined ? {} : { headers }) }
}

function storeReply({ state, account }: AccountContext, request: IdempotentRequest, reply: Reply): void {
  if (!(request.isStored?.(reply) ?? true)) return
  const { status, body } = reply
  const at = state.clock.now()
  const fingerprint = fingerprintOf(request)
  saveObject(state, account, nameOf(request), {
    fingerprint,
    at,
    status,
    ...(body === undefined ? {} : { body }),
  })
}

const nameOf = ({ key }: IdempotentRequest) => `idempotency/${key}`

function fingerprintOf({ content }: IdempotentRequest): string {
  return createHash('sha256').update(content).digest('base64url')
}
