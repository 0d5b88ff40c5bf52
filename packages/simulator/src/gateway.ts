/**
 * The front door of the protocol: who may come in, and which verb a call asks for. What it refuses it refuses
 * with care: "nothing happened" is only said of a reference that is not in the books, since whoever hears it
 * may charge elsewhere.
 */
import { createHash } from 'node:crypto'
import { noteCall } from './calls.ts'
import { type Config, isOut } from './config.ts'
import type { Place } from './course.ts'
import type { Reply } from './faults.ts'
import type { Incoming } from './incoming.ts'
import { close, complete, lookUp, perform } from './operations.ts'
import { kinds } from './protocol.ts'
import { errorReply, notProcessed, refusal } from './records.ts'
import { signatureHeader, verify } from './signature.ts'
import { type Account, forgetToken, type World } from './world.ts'

/** `origin` is where a payer's browser finds the simulator. */
export async function answer(world: World, incoming: Incoming, origin: string): Promise<Reply> {
  const account = world.accounts.get(incoming.segments[0] ?? '')
  // Nobody has the secrets of an account that does not exist, so nobody learns that it does not.
  if (account === undefined) return untrusted(undefined, incoming)
  const isTrusted = isSigned(account, incoming)
  const call = noteCall(account, incoming, { at: world.clock.now(), isTrusted })
  const reply = await admit({ world, account }, incoming, isTrusted, origin)
  call.answer = `${reply.status} ${reply.manner ?? 'plain'}`
  return reply
}

function isSigned({ config }: Account, { method, path, headers, bytes }: Incoming): boolean {
  const header = headers[signatureHeader]
  const signed = { role: 'request', method, path, body: bytes } as const
  return verify(signed, typeof header === 'string' ? header : '', config.secrets, Date.now() / 1000)
}

function admit(place: Place, incoming: Incoming, isTrusted: boolean, origin: string): Reply | Promise<Reply> {
  const { world, account } = place
  if (isOut(account.config, world.clock.now())) return outage(account, incoming)
  if (!isTrusted) return untrusted(account, incoming)
  if (incoming.headers['switchyard-protocol'] !== '1') {
    return errorReply(400, 'protocol_not_supported', 'Switchyard-Protocol is not 1.')
  }
  const { method, segments } = incoming
  const [, noun, id, verb] = segments
  const call = routes[[method, noun, id === undefined ? '' : ':id', verb ?? ''].join(' ').trim()]
  if (call === undefined || segments.length > 4) return errorReply(404, 'not_found', 'There is no such call.')
  return call(place, incoming, id ?? '', origin)
}

type Route = (place: Place, incoming: Incoming, id: string, origin: string) => Reply | Promise<Reply>

const routes: { readonly [call: string]: Route } = {
  'GET manifest': ({ account }) => ({ status: 200, body: manifestOf(account.config) }),
  'GET health': () => ({ status: 200, body: { status: 'ok' } }),
  'PUT operations :id': put,
  'GET operations :id': (place, _incoming, reference) => lookUp(place, reference),
  'POST operations :id complete': (place, { body }, reference) => complete(place, reference, body),
  'POST operations :id close': (place, _incoming, reference) => close(place, reference),
  'DELETE tokens :id': ({ world, account }, _incoming, token) => {
    forgetToken(world, account, token)
    return { status: 204 }
  },
}

function put(place: Place, incoming: Incoming, reference: string, origin: string): Reply | Promise<Reply> {
  const { body, bytes, headers } = incoming
  if (headers['idempotency-key'] !== reference) {
    return refuse(place.account, incoming, 400, {
      code: 'provider_request_invalid',
      message: 'Idempotency-Key is not the reference of the address.',
    })
  }
  const fingerprint = createHash('sha256').update(bytes).digest('base64url')
  return perform(place, { reference, body, fingerprint, origin })
}

function manifestOf({ lookup, close, replay }: Config): object {
  return {
    protocol: 1,
    capabilities: {
      kinds,
      brands: 'all',
      currencies: 'all',
      countries: 'all',
      amount: null,
      manual_capture: true,
      multi_capture: true,
      void: true,
      partial_refund: true,
      verify: true,
      three_d_secure: true,
      off_session: true,
    },
    timeout_ms: 60_000,
    features: { lookup, close, replay, complete: true, tokens: true },
  }
}

function untrusted(account: Account | undefined, incoming: Incoming): Reply {
  const message = 'The signature is missing, too old, or made with another secret.'
  return refuse(account, incoming, 401, { code: 'provider_credentials_invalid', message })
}

function outage(account: Account, incoming: Incoming): Reply {
  const manner = account.config.outage_manner
  const isNew = newReference(account, incoming) !== null
  return { ...(isNew ? notProcessed(503) : errorReply(503, 'unavailable', 'Out of service.')), manner }
}

function refuse(
  account: Account | undefined,
  incoming: Incoming,
  status: number,
  { code, message }: { readonly code: string; readonly message: string },
): Reply {
  const reference = newReference(account, incoming)
  return reference === null ? errorReply(status, code, message) : refusal(status, reference, code, message)
}

/** The reference that a call would have brought into the books, or null if it is there or would not. */
function newReference(account: Account | undefined, { method, segments }: Incoming): string | null {
  const [, noun, reference] = segments
  if (method !== 'PUT' || noun !== 'operations' || reference === undefined) return null
  return account?.operations.has(reference) === true ? null : reference
}
