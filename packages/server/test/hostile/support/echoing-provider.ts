// A custom provider that repeats the card data and secrets it receives in references, messages, codes,
// headers and pages. Its responses are stored in many places, and none of them may contain that data.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sign } from '../../../../simulator/src/signature.ts'

type ProviderRequest = {
  readonly reference: string
  readonly kind: string
  readonly amount: number
  readonly currency: string
  readonly instrument: { readonly number?: string; readonly cvc?: string } | null
}
type ProviderResponse = { readonly status: number; readonly body: object | string }

export type EchoProvider = { readonly url: string; readonly requestCount: number; stop(): void }

/** The amount selects the behaviour, since every request has one. */
export const behaviourByAmount = {
  approve: 1000,
  decline: 1001,
  reject: 1002,
  page: 1003,
  garbage: 1004,
  declineOnLookup: 1005,
  action: 1006,
} as const

export async function startEchoProvider(secret: () => string): Promise<EchoProvider> {
  const requests = new Map<string, ProviderRequest>()
  const server = createServer(async (request, response) => {
    const text = await readText(request)
    const reference = decodeURIComponent(request.url?.split('/')[2] ?? '')
    if (request.method === 'PUT') requests.set(reference, requests.get(reference) ?? JSON.parse(text))
    const stored = requests.get(reference)
    if (stored === undefined) return send(response, { status: 404, body: {} }, text)
    send(
      response,
      request.method === 'PUT' ? respondTo(stored, secret()) : respondToLookup(stored),
      echoOf(stored),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requestCount() {
      return requests.size
    },
    stop: () => void server.close(),
  }
}

const echoOf = ({ instrument }: ProviderRequest) =>
  `number ${instrument?.number}, spaced ${instrument?.number?.match(/.{1,4}/g)?.join(' ')}, code ${instrument?.cvc}`

function respondTo(request: ProviderRequest, secret: string): ProviderResponse {
  const { reference, kind, amount, currency } = request
  const number = request.instrument?.number ?? 'none'
  const message = `${echoOf(request)}, secret ${secret}`
  const record = { reference, kind, amount, currency, provider_reference: `p-${number}-${secret}` }
  switch (amount) {
    case behaviourByAmount.decline:
      return { status: 200, body: { ...record, status: 'declined', decline: { code: number, message } } }
    case behaviourByAmount.reject:
      return { status: 422, body: { ...record, status: 'rejected', error: { code: number, message } } }
    case behaviourByAmount.page:
      return { status: 500, body: `<!doctype html><title>${message}</title>` }
    case behaviourByAmount.garbage:
      return { status: 200, body: `{"reference": "${number}", "message": "${message}", "status` }
    case behaviourByAmount.declineOnLookup:
      return { status: 502, body: message }
    case behaviourByAmount.action: {
      const url = `https://bank.example/${number}?pan=${number}&secret=${secret}`
      const action = { type: 'redirect', url, expires_at: '2099-01-01T00:00:00.000Z' }
      return { status: 200, body: { ...record, status: 'action_required', action } }
    }
    default:
      return { status: 200, body: { ...record, status: 'succeeded', network_transaction_id: number } }
  }
}

/** A lookup does not include the card, but the provider repeats the card of the first request. */
function respondToLookup(request: ProviderRequest): ProviderResponse {
  const { reference, kind, amount, currency } = request
  const decline = { code: 'do_not_honor', message: echoOf(request) }
  return { status: 200, body: { reference, kind, amount, currency, status: 'declined', decline } }
}

function send(response: ServerResponse, { status, body }: ProviderResponse, echo: string): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', 'x-echo': echo }).end(text)
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += part
  return text
}

/** A webhook of the provider about an operation, signed with the secret. */
export function signedWebhook(
  path: string,
  secret: string,
  operation: object,
): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify({ id: `event_${Math.random()}`, type: 'operation.updated', operation })
  const signed = { role: 'callback', method: 'POST', path, body } as const
  const signature = sign(signed, [secret], Math.floor(Date.now() / 1000))
  return { body, headers: { 'content-type': 'application/json', 'switchyard-signature': signature } }
}
