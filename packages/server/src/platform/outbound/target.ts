/**
 * Checks a URL before any DNS query: where a request would go, or why it is not allowed. The WHATWG URL
 * parser comes first; it recognizes the unusual spellings of addresses (decimal, octal, short, full-width)
 * and normalizes them.
 */
import { isIP } from 'node:net'
import type { Mode } from '../../kernel/id.ts'
import type { AddressRules, AddressStatus } from './address.ts'

export type Target = {
  /** Scheme, host without a trailing dot, port. */
  readonly origin: string
  readonly path: string
}

export type TargetCheck =
  | { readonly kind: 'target'; readonly target: Target }
  | { readonly kind: 'fault'; readonly fault: string }

/** One sentence for every blocked host: more would reveal our network to an attacker. */
export const blockedText = 'The URL does not point to the public internet.'

const maxLength = 2_048

const blockedNames = /(^|\.)(localhost|local|internal)$/

/** `simulator` is the origin of the simulator: the test environment may call it at any address. */
export function checkTarget(
  text: string,
  mode: Mode,
  statusOf: AddressRules,
  simulator: string | null = null,
): TargetCheck {
  if (text.length > maxLength) return faultOf('The URL is longer than 2,048 characters.')
  // The parser would drop line breaks and trim, and then two strings would mean the same URL.
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text)
  const host = url === null ? null : hostOf(url)
  if (url === null || host === null) return faultOf('The text is not a valid URL.')
  if (url.username !== '' || url.password !== '')
    return faultOf('The URL must not contain a user name or password.')

  const target = { origin: originOf(url, host), path: url.pathname + url.search }
  if (isSimulator(target.origin, mode, simulator)) return { kind: 'target', target }
  const status = statusOfHost(host, mode, statusOf)
  if (!isSchemeAllowed(url.protocol, mode, status)) return faultOf('The URL must begin with https://.')
  if (!isPortAllowed(url)) return faultOf('The port must be the default port or 1024 or higher.')
  if (status === 'blocked') return faultOf(blockedText)
  return { kind: 'target', target }
}

/** Never in the live environment: no live payment may reach a provider that moves no money. */
export function isSimulator(origin: string, mode: Mode, simulator: string | null): boolean {
  return mode === 'test' && origin === simulator
}

function faultOf(fault: string): TargetCheck {
  return { kind: 'fault', fault }
}

/**
 * Null for a name with an empty label: the standard treats `127.0.0.1..` as a name, and other parsers as an
 * address.
 */
function hostOf(url: URL): string | null {
  // Other schemes may have no host, and are rejected because of their scheme.
  if (url.hostname === '') return ''
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  return host.split('.').includes('') ? null : host
}

/** A name can still be blocked later, when its addresses are known. */
function statusOfHost(host: string, mode: Mode, statusOf: AddressRules): AddressStatus {
  if (isIP(host) !== 0) return statusOf(host, mode)
  if (host === 'localhost') return statusOf('127.0.0.1', mode)
  return blockedNames.test(host) ? 'blocked' : 'public'
}

/** Without TLS the request could be read and changed in transit; addresses allowed for tests are local. */
function isSchemeAllowed(protocol: string, mode: Mode, status: AddressStatus): boolean {
  return protocol === 'https:' || (protocol === 'http:' && mode === 'test' && status === 'allowed')
}

/**
 * Ports below 1024 are used by mail, remote shells and similar services, which could interpret a request as a
 * command.
 */
function isPortAllowed(url: URL): boolean {
  return url.port === '' || Number(url.port) >= 1_024
}

function originOf(url: URL, host: string): string {
  const name = host.includes(':') ? `[${host}]` : host
  return `${url.protocol}//${name}${url.port === '' ? '' : `:${url.port}`}`
}
