/**
 * Access tokens of providers that require one (OAuth client credentials). A token is fetched before the first call,
 * shared by all calls of the account, kept in memory only, and replaced shortly before it expires.
 */
import { createHash } from 'node:crypto'
import { monotonicMs } from '../kernel/clock.ts'
import type { Mode } from '../kernel/id.ts'
import { canonical } from '../kernel/json.ts'
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import type { AccessToken, Provider, Sender } from './contract.ts'
import { type NotSent, notSent, resultOf } from './evidence.ts'

export type TokenAccount = { readonly id: string; readonly mode: Mode; readonly config: unknown }

/** `isFresh`: the token was fetched for this call. */
export type TokenResult = { readonly is: 'token'; readonly token: string | null; readonly isFresh: boolean }

export type AccessTokens = {
  /** The token is null if the provider needs none. */
  get(provider: Provider, account: TokenAccount, deadlineMs: number): Promise<TokenResult | NotSent>
  /** Makes the next call fetch a new token, unless another call has already replaced the rejected one. */
  forget(account: TokenAccount, rejectedToken: string): Promise<void>
}

const timeoutMs = 10_000
const maxResponseBytes = 64 * 1024
/** A token is not used during the last minute before it expires. */
const marginMs = 60_000

type TokenStep = NonNullable<Provider['accessToken']>
type Fetched = { readonly token: string; readonly untilMs: number }

export function createAccessTokens(sender: Sender, time: () => Date): AccessTokens {
  const tokens = new Map<string, Promise<Fetched | NotSent>>()

  async function fetchToken(
    step: TokenStep,
    account: TokenAccount,
    deadlineMs: number,
  ): Promise<Fetched | NotSent> {
    const startedMs = monotonicMs()
    const call = step.build(null, { config: account.config, now: time(), accessToken: null })
    const reply = await sender.send({
      ...call,
      mode: account.mode,
      pool: account.id,
      timeoutMs: Math.max(1, Math.min(timeoutMs, deadlineMs - startedMs)),
      maxResponseBytes,
      maxConnections: 256,
    })
    const token = tokenIn(step, reply)
    if (token === null) return tokenFault(reply)
    return { token: token.token, untilMs: startedMs + token.expiresInSeconds * 1000 - marginMs }
  }

  return {
    async get({ accessToken: step }, account, deadlineMs) {
      if (step === undefined) return { is: 'token', token: null, isFresh: false }
      const key = keyOf(account)
      // Do not await if there is no token: concurrent calls would then each send a request for one.
      const known = tokens.get(key)
      const cached = known === undefined ? undefined : await known
      if (cached !== undefined && 'token' in cached && cached.untilMs > monotonicMs())
        return { is: 'token', token: cached.token, isFresh: false }
      const fetching = fetchToken(step, account, deadlineMs).catch(() => noToken)
      tokens.set(key, fetching)
      const fetched = await fetching
      if ('token' in fetched) return { is: 'token', token: fetched.token, isFresh: true }
      if (tokens.get(key) === fetching) tokens.delete(key)
      return fetched
    },
    async forget(account, rejectedToken) {
      const key = keyOf(account)
      const known = await tokens.get(key)
      if (known !== undefined && 'token' in known && known.token === rejectedToken) tokens.delete(key)
    },
  }
}

const noToken = notSent('no_access_token', 'The provider returned no access token.')

/** Includes the credentials, so that new credentials get a new token. */
function keyOf({ id, config }: TokenAccount): string {
  return `${id} ${createHash('sha256').update(canonical(config)).digest('base64')}`
}

function tokenIn({ parse }: TokenStep, reply: OutboundReply): AccessToken | null {
  const result = resultOf(reply)
  if (result.is !== 'answer') return null
  try {
    return parse(result.reply, null)
  } catch {
    return null
  }
}

/** The operation itself was not sent, whatever happened to the request for the token. */
function tokenFault(reply: OutboundReply): NotSent {
  const isRefused = reply.kind === 'answered' && [400, 401, 403].includes(reply.status)
  return isRefused
    ? notSent('provider_credentials_invalid', 'The provider does not accept the credentials of the account.')
    : noToken
}
