/** Authenticates a call in the wire format of a real provider, and passes it to the dialect. */
import { recordCall } from '../calls.ts'
import { isInOutage } from '../config.ts'
import type { Reply } from '../faults.ts'
import type { IncomingCall } from '../incoming.ts'
import type { Account, SimulatorState } from '../simulator-state.ts'
import type { Dialect } from './dialect.ts'

/** The dialect of the account; null if it uses the `custom` protocol. */
export function dialectOf({ dialects }: SimulatorState, { config }: Account): Dialect | null {
  return config.dialect === 'custom' ? null : (dialects[config.dialect] ?? null)
}

/** A call below the base URL of an account, `/{account}`, on the port of the simulator. */
export function handleAccountCall(
  state: SimulatorState,
  account: Account,
  dialect: Dialect,
  { call, origin }: { readonly call: IncomingCall; readonly origin: string },
): Promise<Reply> {
  const path = call.path.slice(call.path.indexOf('/', 1))
  return handle(state, account, dialect, {
    call: { ...call, path, segments: call.segments.slice(1) },
    origin,
  })
}

/** A call on the port of a dialect. The credentials identify the account. */
export async function handleDialectCall(
  state: SimulatorState,
  dialect: Dialect,
  { call, origin }: { readonly call: IncomingCall; readonly origin: string },
): Promise<Reply> {
  const account = [...state.accounts.values()].find(
    (candidate) => candidate.config.dialect === dialect.name && dialect.isAuthenticated(candidate, call),
  )
  if (account === undefined) return dialect.unauthenticated
  return handle(state, account, dialect, { call, origin })
}

async function handle(
  state: SimulatorState,
  account: Account,
  dialect: Dialect,
  { call, origin }: { readonly call: IncomingCall; readonly origin: string },
): Promise<Reply> {
  const isSignatureValid = dialect.isAuthenticated(account, call)
  const recorded = recordCall(account, call, { at: state.clock.now(), isSignatureValid })
  const reply = await replyOf()
  recorded.answer = `${reply.status} ${reply.responseMode ?? 'plain'}`
  return { ...reply, serverError: dialect.serverError, ...cutOf(account, call) }

  function replyOf(): Reply | Promise<Reply> {
    if (isInOutage(account.config, state.clock.now()))
      return { ...dialect.unavailable, responseMode: account.config.outage_manner }
    return isSignatureValid ? dialect.handle({ state, account, origin }, call) : dialect.unauthenticated
  }
}

/** Only one response is truncated: that of the next call that is not a GET. */
function cutOf(account: Account, { method }: IncomingCall): Pick<Reply, 'cutAfterBytes'> {
  const { cutAfterBytes } = account
  if (cutAfterBytes === null || method === 'GET') return {}
  account.cutAfterBytes = null
  return { cutAfterBytes }
}
