/**
 * Authenticates and dispatches calls of the protocol. An error that states that nothing was processed allows
 * the caller to charge through another provider, so an error states this only if the reference is not in the
 * ledger.
 */
import { createHash } from 'node:crypto'
import { recordCall } from './calls.ts'
import { type Config, isInOutage } from './config.ts'
import { readDispute, respondToDispute, storeFile } from './disputes.ts'
import type { Reply } from './faults.ts'
import type { IncomingCall } from './incoming.ts'
import { listOperations } from './list-operations.ts'
import { closeOperation, completeOperation, lookUp, performOperation } from './operations.ts'
import { kinds } from './protocol.ts'
import { errorReply, notProcessed, rejectedReply } from './records.ts'
import type { AccountContext } from './run-operation.ts'
import { signatureHeader, standInsHeader, verify, withStandIns } from './signature.ts'
import { type Account, deleteToken, type SimulatorState } from './simulator-state.ts'

/** `origin` is the URL of the simulator for the payer's browser. */
export async function handleCall(
  state: SimulatorState,
  incoming: IncomingCall,
  origin: string,
): Promise<Reply> {
  const account = state.accounts.get(incoming.segments[0] ?? '')
  // An unknown account gets the same response as a bad signature, so callers cannot probe for account names.
  if (account === undefined) return invalidSignature(undefined, incoming)
  const isSignatureValid = isSigned(account, incoming)
  const call = recordCall(account, incoming, { at: state.clock.now(), isSignatureValid })
  const reply = await dispatch({ state, account }, incoming, isSignatureValid, origin)
  call.answer = `${reply.status} ${reply.responseMode ?? 'plain'}`
  return reply
}

function isSigned({ config }: Account, { method, path, headers, bytes }: IncomingCall): boolean {
  const header = headers[signatureHeader]
  const standIns = headers[standInsHeader]
  const body = typeof standIns === 'string' ? withStandIns(bytes.toString(), standIns) : bytes
  const signed = { role: 'request', method, path, body } as const
  return verify(signed, typeof header === 'string' ? header : '', config.secrets, Date.now() / 1000)
}

function dispatch(
  context: AccountContext,
  incoming: IncomingCall,
  isSignatureValid: boolean,
  origin: string,
): Reply | Promise<Reply> {
  const { state, account } = context
  if (isInOutage(account.config, state.clock.now())) return outageReply(account, incoming)
  if (!isSignatureValid) return invalidSignature(account, incoming)
  if (incoming.headers['switchyard-protocol'] !== '1') {
    return errorReply(400, 'protocol_not_supported', 'Switchyard-Protocol must be 1.')
  }
  const { method, segments } = incoming
  const [, noun, id, verb] = segments
  const call = routes[[method, noun, id === undefined ? '' : ':id', verb ?? ''].join(' ').trim()]
  if (call === undefined || segments.length > 4) return errorReply(404, 'not_found', 'Unknown call.')
  return call(context, incoming, id ?? '', origin)
}

type Route = (
  context: AccountContext,
  incoming: IncomingCall,
  id: string,
  origin: string,
) => Reply | Promise<Reply>

const routes: { readonly [call: string]: Route } = {
  'GET manifest': ({ account }) => ({ status: 200, body: manifestOf(account.config) }),
  'GET health': () => ({ status: 200, body: { status: 'ok' } }),
  'PUT operations :id': putOperation,
  'GET operations': ({ account }, { query }) => listOperations(account, query),
  'GET operations :id': (context, _incoming, reference) => lookUp(context, reference),
  'POST operations :id complete': (context, { body }, reference) =>
    completeOperation(context, reference, body),
  'POST operations :id close': (context, _incoming, reference) => closeOperation(context, reference),
  'GET disputes :id': ({ account }, _incoming, id) => readDispute(account, id),
  'PUT disputes :id response': (context, { body }, id) =>
    respondToDispute(context, id, { body, status: 'under_review' }),
  'POST disputes :id accept': (context, { body }, id) =>
    respondToDispute(context, id, { body, status: 'lost' }),
  'PUT files :id': (context, { bytes }, sha256) => storeFile(context, sha256, bytes),
  'DELETE tokens :id': ({ state, account }, _incoming, token) => {
    deleteToken(state, account, token)
    return { status: 204 }
  },
}

function putOperation(
  context: AccountContext,
  incoming: IncomingCall,
  reference: string,
  origin: string,
): Reply | Promise<Reply> {
  const { body, bytes, headers } = incoming
  if (headers['idempotency-key'] !== reference) {
    return rejectCall(context.account, incoming, 400, {
      code: 'provider_request_invalid',
      message: 'Idempotency-Key must equal the reference in the URL.',
    })
  }
  const fingerprint = createHash('sha256').update(bytes).digest('base64url')
  return performOperation(context, { reference, body, fingerprint, origin })
}

const debitMethod = (confirm_days: number, currency: string, countries: readonly string[] | 'all') => ({
  flow: 'direct',
  reusable: true,
  confirm_days,
  refund: true,
  currencies: [currency],
  countries,
})

/** A method that the payer approves on the page of the simulator. */
const redirectMethod = (currencies: readonly string[], countries: readonly string[] | 'all') => ({
  flow: 'redirect',
  reusable: false,
  confirm_days: 0,
  refund: true,
  currencies,
  countries,
})

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
      methods: {
        sepa_debit: debitMethod(14, 'eur', 'all'),
        ach_debit: debitMethod(4, 'usd', ['US']),
        bacs_debit: { ...debitMethod(4, 'gbp', ['GB']), new_mandate_days: 7 },
        ideal: redirectMethod(['eur'], ['NL']),
        bancontact: redirectMethod(['eur'], ['BE']),
        paypal: redirectMethod(['eur', 'gbp', 'usd'], 'all'),
      },
    },
    timeout_ms: 60_000,
    features: {
      lookup,
      close,
      replay,
      list: true,
      complete: true,
      tokens: true,
      disputes: true,
      vault: true,
    },
  }
}

function invalidSignature(account: Account | undefined, incoming: IncomingCall): Reply {
  const message = 'The signature is missing, expired, or does not match.'
  return rejectCall(account, incoming, 401, { code: 'provider_credentials_invalid', message })
}

function outageReply(account: Account, incoming: IncomingCall): Reply {
  const responseMode = account.config.outage_manner
  const isNew = newReference(account, incoming) !== null
  return { ...(isNew ? notProcessed(503) : errorReply(503, 'unavailable', 'Out of service.')), responseMode }
}

function rejectCall(
  account: Account | undefined,
  incoming: IncomingCall,
  status: number,
  { code, message }: { readonly code: string; readonly message: string },
): Reply {
  const reference = newReference(account, incoming)
  return reference === null
    ? errorReply(status, code, message)
    : rejectedReply(status, reference, code, message)
}

/** The reference that a call would create, or null if it already exists or the call creates none. */
function newReference(account: Account | undefined, { method, segments }: IncomingCall): string | null {
  const [, noun, reference] = segments
  if (method !== 'PUT' || noun !== 'operations' || reference === undefined) return null
  return account?.operations.has(reference) === true ? null : reference
}
