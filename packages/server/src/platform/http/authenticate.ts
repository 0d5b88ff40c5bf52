/** Authenticates the bearer token of a request. */
import type { Identity } from '../../kernel/caller.ts'
import { refuseWrongCell } from '../../kernel/cells.ts'
import { refuse } from '../../kernel/errors.ts'
import type { Mode } from '../../kernel/id.ts'
import { networkOf } from '../../kernel/network.ts'
import type { Buckets } from './limits.ts'

export type KnownIdentity = Extract<Identity, { status: 'known' }>

export type Addresses = { readonly [M in Mode]: string }

/**
 * After 20 invalid tokens per minute from one network, invalid tokens get 429 instead of 401. Tokens have 190
 * random bits, so guessing needs no lockout: a valid token is always accepted, even from a network that
 * sent invalid ones.
 */
const invalidTokenLimit = { perSecond: 20 / 60, burst: 20 }

export async function authenticate(
  request: { readonly authorization: string | undefined; readonly address: string },
  context: { readonly mode: Mode; readonly addresses: Addresses; readonly buckets: Buckets },
  identify: (token: string, address: string) => Promise<Identity>,
): Promise<KnownIdentity> {
  const token = bearerOf(request.authorization)
  const identity = await identify(token, request.address)
  if (identity.status === 'known' && identity.mode === context.mode) return identity
  if (identity.status === 'elsewhere') refuseWrongCell(identity.cell[isTestToken(token) ? 'test' : 'live'])
  const { allowed, waitSeconds } = context.buckets.take(
    `bad ${networkOf(request.address)}`,
    invalidTokenLimit,
  )
  if (!allowed)
    refuse('rate_limited', {
      detail: 'Too many invalid tokens from this address.',
      retryAfterSeconds: waitSeconds,
    })
  if (identity.status === 'known')
    return refuse('token_wrong_address', { detail: otherAddress(identity.mode, context.addresses) })
  return refuse(identity.status === 'expired' ? 'token_expired' : 'token_invalid')
}

export function bearerOf(authorization: string | undefined): string {
  const match = /^Bearer +(\S+) *$/i.exec(authorization ?? '')
  return match?.[1] ?? refuse('token_missing')
}

const isTestToken = (token: string) => /^[a-z]+_test_/.test(token)

function otherAddress(mode: Mode, addresses: Addresses): string {
  return mode === 'test'
    ? `This is a test token: use the test address, ${addresses.test}.`
    : `This is a live token: use the live address, ${addresses.live}.`
}
