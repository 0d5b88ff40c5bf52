/**
 * What an address means before any name server is asked: where a request to it would go, or why none ever will.
 * The parser of the URL standard comes first; it knows the odd spellings of addresses (decimal, octal, short,
 * full-width) and writes them in one way.
 */
import { isIP } from 'node:net'
import type { Mode } from '../../kernel/id.ts'
import type { AddressRules, Standing } from './address.ts'

export type Target = {
  /** Scheme, host without a trailing dot, port. */
  readonly origin: string
  readonly path: string
}

export type Judgement =
  | { readonly is: 'target'; readonly target: Target }
  | { readonly is: 'fault'; readonly fault: string }

/** One sentence for every host that is blocked: more would tell a stranger how our network looks. */
export const blockedText = 'The address does not lead to the public internet.'

const maxLength = 2_048

const blockedNames = /(^|\.)(localhost|local|internal)$/

export function judge(text: string, mode: Mode, standingOf: AddressRules): Judgement {
  if (text.length > maxLength) return faulty('The address is longer than 2,048 characters.')
  // The parser would drop line breaks and trim, and then two texts would mean one address.
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  const host = url === null ? null : hostOf(url)
  if (url === null || host === null) return faulty('The address is not a URL.')
  if (url.username !== '' || url.password !== '')
    return faulty('The address must not hold a user name or password.')

  const standing = standingOfHost(host, mode, standingOf)
  if (!isSchemeAllowed(url.protocol, mode, standing)) return faulty('The address must begin with https://.')
  if (!isPortAllowed(url)) return faulty('The port must be the usual one or any from 1024 on.')
  if (standing === 'blocked') return faulty(blockedText)
  return { is: 'target', target: { origin: originOf(url, host), path: url.pathname + url.search } }
}

function faulty(fault: string): Judgement {
  return { is: 'fault', fault }
}

/** Null for a name with an empty part: the standard takes `127.0.0.1..` for a name, and others for an address. */
function hostOf(url: URL): string | null {
  // Other schemes may have none, and are refused as such.
  if (url.hostname === '') return ''
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  return host.split('.').includes('') ? null : host
}

/** A name may still turn out to be blocked, when its addresses are known. */
function standingOfHost(host: string, mode: Mode, standingOf: AddressRules): Standing {
  if (isIP(host) !== 0) return standingOf(host, mode)
  if (host === 'localhost') return standingOf('127.0.0.1', mode)
  return blockedNames.test(host) ? 'blocked' : 'public'
}

/** Without TLS everybody on the way could read and change it; what the operator opened for tests is near. */
function isSchemeAllowed(protocol: string, mode: Mode, standing: Standing): boolean {
  return protocol === 'https:' || (protocol === 'http:' && mode === 'test' && standing === 'opened')
}

/** Below 1024 live mail, remote shells and the like: services that could take a request for an order. */
function isPortAllowed(url: URL): boolean {
  return url.port === '' || Number(url.port) >= 1_024
}

function originOf(url: URL, host: string): string {
  const name = host.includes(':') ? `[${host}]` : host
  return `${url.protocol}//${name}${url.port === '' ? '' : `:${url.port}`}`
}
