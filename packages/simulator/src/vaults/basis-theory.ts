/**
 * A simulated Basis Theory: creates and returns tokens of cards, and forwards calls through its ephemeral proxy. Below
 * `/vaults/basis_theory`. Any API key is accepted, except one that contains `invalid`. A token whose id contains
 * `unavailable` returns 503.
 */
import type { ServerResponse } from 'node:http'
import type { IncomingCall } from '../incoming.ts'
import { isObject } from '../protocol.ts'
import { forward, respond } from './forward.ts'
import { addCard, type StoredCard, type VaultState } from './vault-state.ts'

const problem = (status: number, detail: string) => ({ title: 'Error', status, detail })
const proxyError = (status: number, detail: string) => ({
  proxy_error: { errors: {}, ...problem(status, detail) },
})

export async function handleBasisTheory(
  state: VaultState,
  call: IncomingCall,
  response: ServerResponse,
  port: number,
): Promise<void> {
  const [, , resource, id] = call.segments
  const key = call.headers['bt-api-key']
  const isAuthenticated = typeof key === 'string' && key !== '' && !key.includes('invalid')
  if (resource === 'proxy') {
    return isAuthenticated
      ? forwardCall(state, call, response, port)
      : void respond(response, 401, proxyError(401, 'The BT-API-KEY is invalid.'))
  }
  if (!isAuthenticated) return void respond(response, 401, problem(401, 'The BT-API-KEY is invalid.'))
  if (resource === 'applications' && id === 'key')
    return void respond(response, 200, applicationOf(String(key)))
  if (resource === 'tokens' && call.method === 'POST' && id === undefined)
    return void createToken(state, call, response)
  showToken(state, resource === 'tokens' && call.method === 'GET' ? (id ?? '') : '', response)
}

/** The application of the key. One whose key contains `reader` may only read tokens. */
function applicationOf(key: string): object {
  const permissions = key.includes('reader') ? ['token:read'] : ['token:read', 'token:use']
  return { id: 'application', type: 'private', permissions }
}

function showToken({ cards }: VaultState, id: string, response: ServerResponse): void {
  if (id.includes('unavailable')) return void respond(response, 503, problem(503, 'Service unavailable.'))
  const card = cards.get(id)
  if (card === undefined) respond(response, 404, problem(404, 'Not found.'))
  else respond(response, 200, tokenOf(id, card))
}

function createToken(state: VaultState, { body }: IncomingCall, response: ServerResponse): void {
  const data = isObject(body) && body.type === 'card' && isObject(body.data) ? body.data : null
  if (data === null || typeof data.number !== 'string')
    return void respond(response, 400, problem(400, 'Send a token of the type card.'))
  const card: StoredCard = {
    number: data.number,
    cvc: typeof data.cvc === 'string' ? data.cvc : null,
    expMonth: Number(data.expiration_month),
    expYear: Number(data.expiration_year),
  }
  const id = addCard(state, card)
  respond(response, 201, tokenOf(id, card))
}

/** The number is masked, as in responses to applications that may not read it. */
function tokenOf(id: string, { number, cvc, expMonth, expYear }: StoredCard): object {
  const expiry = { expiration_month: expMonth, expiration_year: expYear }
  return {
    id,
    type: 'card',
    data: { number: `XXXXXXXXXXXX${number.slice(-4)}`, ...expiry, ...(cvc === null ? {} : { cvc: 'XXX' }) },
    card: {
      bin: number.slice(0, 8),
      last4: number.slice(-4),
      ...expiry,
      brand: brandOf(number),
      funding: 'credit',
    },
    fingerprint: `fp_${Buffer.from(number).toString('base64url').slice(-12)}`,
  }
}

function brandOf(number: string): string {
  if (number.startsWith('4')) return 'visa'
  return number.startsWith('3') ? 'american-express' : 'mastercard'
}

const expression = /\{\{ ([0-9a-f-]{36}) \| json: '\$\.(number|cvc)' \}\}/g

async function forwardCall(
  state: VaultState,
  { method, headers, query, bytes, path }: IncomingCall,
  response: ServerResponse,
  port: number,
): Promise<void> {
  const { 'bt-api-key': _, 'bt-proxy-url': target, host: __, connection: ___, ...rest } = headers
  const url = typeof target === 'string' ? URL.parse(target) : null
  if (url === null || url.port !== String(port))
    return void respond(
      response,
      400,
      proxyError(400, 'The simulated vault forwards calls to this simulator only.'),
    )
  const missing: string[] = []
  const reveal = (text: string) =>
    text.replace(expression, (_all, id: string, part: 'number' | 'cvc') => {
      const value = state.cards.get(id)?.[part] ?? null
      if (value === null) missing.push(id)
      return value ?? ''
    })
  const isForm = headers['content-type']?.includes('x-www-form-urlencoded') ?? false
  const body = isForm ? revealForm(bytes.toString(), reveal) : reveal(bytes.toString())
  if (missing.length > 0) {
    const detail = `Failed to detokenize some tokens: ${missing.join(', ')}`
    return void respond(response, 400, proxyError(400, detail))
  }
  const search = query.size === 0 ? '' : path.slice(path.indexOf('?'))
  return forward(
    state,
    {
      method,
      port,
      path: `${url.pathname}${search}`,
      headers: { ...rest, host: url.host },
      body,
      statusHeader: 'BT-PROXY-DESTINATION-STATUS',
      rejection: { status: 400, body: proxyError(400, 'Invalid proxy request') },
    },
    response,
  )
}

/** In a form, expressions and their values are URL-encoded. */
function revealForm(text: string, reveal: (text: string) => string): string {
  return text
    .split('&')
    .map((pair) => pair.split('=').map(revealEncoded).join('='))
    .join('&')

  function revealEncoded(part: string): string {
    const decoded = decodeURIComponent(part.replaceAll('+', ' '))
    const revealed = reveal(decoded)
    return revealed === decoded ? part : encodeURIComponent(revealed)
  }
}
