/** From the bearer token of a request to its caller. */
import type { Identity } from '../../kernel/caller.ts'
import { refuse } from '../../kernel/errors.ts'
import type { Mode } from '../../kernel/id.ts'
import type { Buckets } from './limits.ts'

export type KnownIdentity = Extract<Identity, { is: 'known' }>

export type Addresses = { readonly [M in Mode]: string }

/** Guessing is slow: an address that shows wrong tokens is let in 20 times a minute. */
const badTokens = { perSecond: 20 / 60, burst: 20 }

export async function authenticate(
  request: { readonly authorization: string | undefined; readonly address: string },
  site: { readonly mode: Mode; readonly addresses: Addresses; readonly buckets: Buckets },
  identify: (token: string, mayLookUp: boolean) => Promise<Identity>,
): Promise<KnownIdentity> {
  const token = bearerOf(request.authorization)
  const bucket = `bad ${blockOf(request.address)}`
  // Who has shown too many wrong tokens is let in with one we know, but no longer makes us look one up.
  const isPatient = site.buckets.has(bucket, badTokens)
  const identity = await identify(token, isPatient)
  if (identity.is === 'known' && identity.mode === site.mode) return identity
  const { allowed, waitSeconds } = site.buckets.take(bucket, badTokens)
  if (!allowed)
    refuse('rate_limited', {
      detail: 'Too many wrong tokens from this address.',
      retryAfterSeconds: waitSeconds,
    })
  if (identity.is === 'known')
    return refuse('token_wrong_address', { detail: otherAddress(identity.mode, site.addresses) })
  return refuse(identity.is === 'expired' ? 'token_expired' : 'token_invalid')
}

/** Whoever has an IPv6 address has a whole block of them, so the block is what counts. Pure. */
export function blockOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  return [...groups, ...Array(Math.max(0, missing)).fill('0')].slice(0, 4).join(':')
}

export function bearerOf(authorization: string | undefined): string {
  const match = /^Bearer +(\S+) *$/i.exec(authorization ?? '')
  return match?.[1] ?? refuse('token_missing')
}

function otherAddress(mode: Mode, addresses: Addresses): string {
  return mode === 'test'
    ? `This is a test token: call the staging address, ${addresses.test}.`
    : `This is a live token: call the production address, ${addresses.live}.`
}
