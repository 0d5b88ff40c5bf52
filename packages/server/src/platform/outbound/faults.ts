/**
 * What went wrong, in our words. Messages of errors are not passed on: they may hold what a stranger wrote, in a
 * certificate for instance. Codes are Node's own.
 */
import { errors } from 'undici'
import type { OutboundReply } from './outbound.ts'
import { blockedText } from './target.ts'

export type Cause = Extract<OutboundReply, { is: 'failed' }>['cause']

/** Ends a call. `message` is the sentence that is shown. */
export class CallFault extends Error {
  override name = 'CallFault'
  readonly because: Cause
  /** Whether the other side closed the connection, so that another one may serve better. */
  readonly hungUp: boolean

  constructor(because: Cause, detail: string, hungUp = false) {
    super(detail)
    this.because = because
    this.hungUp = hungUp
  }
}

export const blocked = () => new CallFault('blocked', blockedText)

/** This process or machine has run out of something; the receiver has no part in it. */
const exhaustion = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])

export function lookupFault(error: unknown): CallFault {
  const code = codeOf(error)
  const isUnknown = code === 'ENOTFOUND' || code === 'ENODATA'
  return fault('dns_failed', code, isUnknown ? 'The name has no address.' : 'The name could not be resolved')
}

const connectTexts = new Map([
  ['ECONNREFUSED', 'The connection was refused.'],
  ['ENETUNREACH', 'There is no route to the address.'],
  ['EHOSTUNREACH', 'There is no route to the address.'],
])

export function connectFault(error: unknown): CallFault {
  const code = codeOf(error)
  return fault('connect_failed', code, connectTexts.get(code) ?? 'The connection could not be made')
}

const unknownIssuer = 'The certificate, or one that it needs, is not from an authority that is trusted.'

const tlsTexts = new Map([
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'The certificate is for another name.'],
  ['CERT_HAS_EXPIRED', 'The certificate has expired.'],
  ['CERT_NOT_YET_VALID', 'The certificate is not valid yet.'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', unknownIssuer],
  ['SELF_SIGNED_CERT_IN_CHAIN', unknownIssuer],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownIssuer],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownIssuer],
])

export function tlsFault(error: unknown): CallFault {
  const code = codeOf(error)
  return fault('tls_failed', code, tlsTexts.get(code) ?? 'TLS could not be agreed')
}

const hangUps = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** After there was a connection, or for a request that could not even be written down. */
export function exchangeFault(error: unknown): CallFault {
  if (error instanceof CallFault) return error
  const code = codeOf(error)
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED')
    return new CallFault('ours', 'The request cannot be written as HTTP/1.1.')
  if (hangUps.has(code))
    return new CallFault('reset', 'The connection was closed before the answer was complete.', true)
  if (error instanceof errors.HTTPParserError || /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(code))
    return new CallFault('reset', 'The answer is not valid HTTP/1.1.')
  return fault('reset', code, 'The connection broke')
}

/** A text without a full stop is a general one, and the code is added. */
function fault(because: Cause, code: string, text: string): CallFault {
  if (exhaustion.has(code)) return new CallFault('ours', `There is no socket or memory left (${code}).`)
  return new CallFault(because, text.endsWith('.') ? text : `${text} (${code}).`)
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown'
}
