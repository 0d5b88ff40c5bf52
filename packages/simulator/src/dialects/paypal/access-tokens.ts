/**
 * Access tokens of the client credentials grant. A token contains the time at which it expires and is signed with the
 * client secret, so it also works after a restart. Tokens expire by the clock of the simulator.
 */
import { createHmac, randomUUID } from 'node:crypto'
import type { Reply } from '../../faults.ts'
import type { IncomingCall } from '../../incoming.ts'
import type { Account } from '../../simulator-state.ts'
import type { DialectContext } from '../dialect.ts'
import { oauthError } from './errors.ts'

const lifetimeSeconds = 32_400

export const isTokenCall = ({ segments }: IncomingCall): boolean => segments.join('/') === 'v1/oauth2/token'

/**
 * The client id identifies the account of a token call. `createToken` checks the secret later, because a wrong secret
 * returns a different error from an unknown client.
 */
export function hasKnownClient({ config }: Account, call: IncomingCall): boolean {
  const { client_id: id, client_secret: secret } = config.credentials
  return Boolean(id && secret) && clientOf(call).startsWith(`${id}:`)
}

function clientOf({ headers }: IncomingCall): string {
  return Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString()
}

export function hasToken({ config }: Account, { headers }: IncomingCall): boolean {
  const { client_secret: secret } = config.credentials
  const [token, content = ''] = /^Bearer (A21AA\.\d+\.[\w-]+)\./.exec(headers.authorization ?? '') ?? []
  return Boolean(secret && token) && headers.authorization === `Bearer ${signed(content, secret ?? '')}`
}

function signed(text: string, secret: string): string {
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** Whether the token of the call has expired. Call this only after `hasToken` has returned true. */
export function isExpired({ state }: DialectContext, { headers }: IncomingCall): boolean {
  return Number(headers.authorization?.split('.')[1]) <= state.clock.now()
}

export const expiredToken = oauthError(401, 'invalid_token', 'The token has expired')

export function createToken({ state, account }: DialectContext, call: IncomingCall): Reply {
  const { client_id: id, client_secret: secret = '' } = account.config.credentials
  if (clientOf(call) !== `${id}:${secret}`)
    return oauthError(401, 'invalid_client', 'Client Authentication failed')
  const isForm = call.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  const form = new URLSearchParams(isForm ? call.bytes.toString() : '')
  if (call.method !== 'POST' || form.get('grant_type') !== 'client_credentials')
    return oauthError(400, 'unsupported_grant_type', 'Grant Type is NULL or not supported')
  const expiresAt = state.clock.now() + lifetimeSeconds * 1000
  const body = {
    scope: 'https://uri.paypal.com/services/payments/payment',
    access_token: signed(`A21AA.${expiresAt}.${randomUUID()}`, secret),
    token_type: 'Bearer',
    app_id: 'APP-SIMULATOR',
    expires_in: lifetimeSeconds,
    nonce: randomUUID(),
  }
  return { status: 200, body }
}
