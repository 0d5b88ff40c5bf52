/**
 * Describes failures in our own words. Error messages are not passed on, because they may contain untrusted
 * text, for example from a certificate. Codes are Node error codes.
 */
import { errors } from 'undici'
import type { OutboundReply } from './outbound.ts'
import { blockedText } from './target.ts'

export type Cause = Extract<OutboundReply, { kind: 'failed' }>['cause']

/** Ends a call. Users see `message`. */
export class CallFault extends Error {
  override name = 'CallFault'
  readonly causeCode: Cause
  /** Whether the other side closed the connection, so that a retry on a new one may succeed. */
  readonly closedByPeer: boolean

  constructor(causeCode: Cause, detail: string, closedByPeer = false) {
    super(detail)
    this.causeCode = causeCode
    this.closedByPeer = closedByPeer
  }
}

export const blocked = () => new CallFault('blocked', blockedText)

/** This process or machine has run out of a resource; the receiver is not the cause. */
const exhaustionCodes = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])

export function lookupFault(error: unknown): CallFault {
  const code = codeOf(error)
  const isUnknown = code === 'ENOTFOUND' || code === 'ENODATA'
  return fault(
    'dns_failed',
    code,
    isUnknown ? 'The host name has no IP address.' : 'The host name could not be resolved',
  )
}

const connectTexts = new Map([
  ['ECONNREFUSED', 'The connection was refused.'],
  ['ENETUNREACH', 'There is no route to the address.'],
  ['EHOSTUNREACH', 'There is no route to the address.'],
])

export function connectFault(error: unknown): CallFault {
  const code = codeOf(error)
  return fault('connect_failed', code, connectTexts.get(code) ?? 'The connection failed')
}

const unknownIssuer = 'The certificate is not issued by a trusted certificate authority.'

const tlsTexts = new Map([
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'The certificate is for another host name.'],
  ['CERT_HAS_EXPIRED', 'The certificate has expired.'],
  ['CERT_NOT_YET_VALID', 'The certificate is not valid yet.'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', unknownIssuer],
  ['SELF_SIGNED_CERT_IN_CHAIN', unknownIssuer],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownIssuer],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownIssuer],
])

export function tlsFault(error: unknown): CallFault {
  const code = codeOf(error)
  return fault('tls_failed', code, tlsTexts.get(code) ?? 'The TLS handshake failed')
}

const peerCloseCodes = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])

/** For failures after a connection was opened, or of a request that could not be written. */
export function exchangeFault(error: unknown): CallFault {
  if (error instanceof CallFault) return error
  const code = codeOf(error)
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED')
    return new CallFault('ours', 'The request cannot be written as HTTP/1.1.')
  if (peerCloseCodes.has(code))
    return new CallFault('reset', 'The connection was closed before the response was complete.', true)
  if (error instanceof errors.HTTPParserError || /^UND_ERR_(HEADERS_OVERFLOW|RES_)/.test(code))
    return new CallFault('reset', 'The response is not valid HTTP/1.1.')
  return fault('reset', code, 'The connection broke')
}

/** A message without a period at the end is generic, so the error code is appended. */
function fault(causeCode: Cause, code: string, text: string): CallFault {
  if (exhaustionCodes.has(code)) return new CallFault('ours', `Out of sockets or memory (${code}).`)
  return new CallFault(causeCode, text.endsWith('.') ? text : `${text} (${code}).`)
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'unknown'
}
