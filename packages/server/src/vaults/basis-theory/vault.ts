/**
 * Basis Theory: calls go through its ephemeral proxy, which replaces expressions with card data.
 * docs/guides/choose-card-data.md links the documentation of Basis Theory and lists what it does not specify.
 */
import type { HttpCall, HttpReply } from '../../providers/contract.ts'
import { orNull } from '../../providers/read.ts'
import type { CardVault, TokenLookup, VaultCard, VaultConfig } from '../contract.ts'
import { unwrapByStatusHeader } from '../unwrap.ts'

const name = 'Basis Theory'
const apiUrl = 'https://api.basistheory.com'
const pattern = '^[A-Za-z0-9_-]{8,200}$'

export const basisTheory: CardVault = {
  id: 'basis_theory',
  name,
  fields: [
    {
      name: 'api_key',
      label: 'API key',
      help: 'The key of a private application with the permissions token:read and token:use (or proxy:invoke), in the portal under Applications.',
      required: true,
      isSecret: true,
      pattern: { live: pattern, test: pattern },
    },
    {
      name: 'public_api_key',
      label: 'Public API key',
      help: 'The key of a public application with the permission token:create, in the portal under Applications. Needed for card fields of Basis Theory on payment pages.',
      required: false,
      isSecret: false,
      pattern: { live: pattern, test: pattern },
    },
  ],
  emulated: { api_key: 'key_emulated', public_api_key: 'key_emulated_public' },
  cvc: 'window',
  needsCardDetails: false,
  publicConfig: ({ public_api_key: key }) => (key === undefined ? null : { public_api_key: key }),
  placeholder: (part, { number: id }) => `{{ ${id} | json: '$.${part}' }}`,
  wrap: (call, config) => ({ call: wrap(call, config) }),
  unwrap: (reply) => unwrapByStatusHeader(reply, 'bt-proxy-destination-status', name),
  token: {
    build: (id, config) => ({
      method: 'GET',
      url: `${addressOf(config)}/tokens/${encodeURIComponent(id)}`,
      headers: { 'BT-API-KEY': config.api_key ?? '', accept: 'application/json' },
      body: null,
    }),
    parse: parseToken,
  },
  check: {
    build: (config) => ({
      call: {
        method: 'GET',
        url: `${addressOf(config)}/applications/key`,
        headers: { 'BT-API-KEY': config.api_key ?? '', accept: 'application/json' },
        body: null,
      },
    }),
    parse: faultOfApplication,
  },
}

/**
 * The problem with the application that the key belongs to; null if there is none. The permissions of an
 * application may also be in its access rules.
 */
function faultOfApplication({ status, body }: HttpReply): string | null {
  if (status === 401 || status === 403) return 'rejected the API key.'
  if (status !== 200) return `responded with status ${status}.`
  const permissions = orNull(() => permissionsIn(JSON.parse(body) as Application)) ?? []
  const lacks = (...names: readonly string[]) => !names.some((entry) => permissions.includes(entry))
  if (lacks('token:read')) return 'accepts the API key, but it lacks the permission token:read.'
  return lacks('token:use', 'proxy:invoke')
    ? 'accepts the API key, but it lacks the permission token:use or proxy:invoke.'
    : null
}

type Permissions = { readonly permissions?: readonly string[] | null }
type Application = Permissions & { readonly rules?: readonly Permissions[] | null }

function permissionsIn({ permissions, rules }: Application): readonly string[] {
  return [...(permissions ?? []), ...(rules ?? []).flatMap((rule) => rule.permissions ?? [])]
}

/** The path and query of the call to the proxy are appended to `BT-PROXY-URL`. */
function wrap(call: HttpCall, config: VaultConfig): HttpCall {
  const { origin, pathname, search } = new URL(call.url)
  return {
    ...call,
    url: `${addressOf(config)}/proxy${search}`,
    headers: {
      ...call.headers,
      'BT-API-KEY': config.api_key ?? '',
      'BT-PROXY-URL': `${origin}${pathname}`,
    },
  }
}

function addressOf({ emulator_url: emulator }: VaultConfig): string {
  return emulator ?? apiUrl
}

type Token = {
  readonly type?: unknown
  readonly fingerprint?: unknown
  readonly data?: {
    readonly expiration_month?: unknown
    readonly expiration_year?: unknown
    readonly cvc?: unknown
  }
  readonly card?: {
    readonly bin?: unknown
    readonly last4?: unknown
    readonly brand?: unknown
    readonly funding?: unknown
    readonly expiration_month?: unknown
    readonly expiration_year?: unknown
    readonly issuer_country?: { readonly alpha2?: unknown }
    readonly issuer?: { readonly name?: unknown }
  }
}

function parseToken(reply: HttpReply): TokenLookup {
  if (reply.status === 404) return { is: 'missing' }
  if (reply.status === 401 || reply.status === 403) return { is: 'refused' }
  if (reply.status !== 200) return { is: 'unreadable' }
  const card = orNull(() => cardOf(JSON.parse(reply.body) as Token))
  return card === null ? { is: 'unreadable' } : { is: 'card', card }
}

/** Null if the token is not a card. The number in `data` is masked, and not read. */
function cardOf({ type, card, data, fingerprint }: Token): VaultCard | null {
  if (type !== 'card' || card === undefined) return null
  const last4 = textOr(card.last4, /^[0-9]{4}$/)
  const expMonth = Number(card.expiration_month ?? data?.expiration_month)
  const expYear = Number(card.expiration_year ?? data?.expiration_year)
  if (last4 === null || !Number.isInteger(expMonth) || !Number.isInteger(expYear)) return null
  return {
    last4,
    expMonth,
    expYear,
    brand: brands.get(String(card.brand).toLowerCase()) ?? null,
    bin: textOr(card.bin, /^[0-9]{6,8}$/)?.slice(0, 6) ?? null,
    funding: textOr(card.funding, /^(credit|debit|prepaid)$/),
    country: textOr(card.issuer_country?.alpha2, /^[A-Z]{2}$/),
    issuer: textOr(card.issuer?.name, /^.{1,200}$/),
    fingerprint: textOr(fingerprint, /^.{1,200}$/),
    hasCvc: typeof data?.cvc === 'string',
  }
}

const brands: ReadonlyMap<string, string> = new Map([
  ['visa', 'visa'],
  ['mastercard', 'mastercard'],
  ['american-express', 'amex'],
  ['american express', 'amex'],
  ['discover', 'discover'],
  ['diners-club', 'diners'],
  ['diners club', 'diners'],
  ['jcb', 'jcb'],
  ['unionpay', 'unionpay'],
])

function textOr(value: unknown, format: RegExp): string | null {
  return typeof value === 'string' && format.test(value) ? value : null
}
