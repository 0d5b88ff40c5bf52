// A provider of the business's own that repeats everything it is told wherever it can: in references, messages,
// codes, headers, pages. What it says is kept in many places, and none of it may hold what it was told.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sign } from '../../../../simulator/src/signature.ts'

type Asked = {
  readonly reference: string
  readonly kind: string
  readonly amount: number
  readonly currency: string
  readonly instrument: { readonly number?: string; readonly cvc?: string } | null
}
type Reply = { readonly status: number; readonly body: object | string }

export type Echo = { readonly url: string; readonly asked: number; stop(): void }

/** What it does is told by the amount, since that is the only thing everybody understands. */
export const manners = {
  approve: 1000,
  decline: 1001,
  refuse: 1002,
  page: 1003,
  garbage: 1004,
  declineWhenAsked: 1005,
  action: 1006,
} as const

export async function startEcho(secret: () => string): Promise<Echo> {
  const told = new Map<string, Asked>()
  const server = createServer(async (request, response) => {
    const text = await textOf(request)
    const reference = decodeURIComponent(request.url?.split('/')[2] ?? '')
    if (request.method === 'PUT') told.set(reference, told.get(reference) ?? JSON.parse(text))
    const asked = told.get(reference)
    if (asked === undefined) return send(response, { status: 404, body: {} }, text)
    send(response, request.method === 'PUT' ? answerTo(asked, secret()) : askedAbout(asked), echoOf(asked))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get asked() {
      return told.size
    },
    stop: () => void server.close(),
  }
}

const echoOf = ({ instrument }: Asked) =>
  `number ${instrument?.number}, spaced ${instrument?.number?.match(/.{1,4}/g)?.join(' ')}, code ${instrument?.cvc}`

function answerTo(asked: Asked, secret: string): Reply {
  const { reference, kind, amount, currency } = asked
  const number = asked.instrument?.number ?? 'none'
  const message = `${echoOf(asked)}, secret ${secret}`
  const record = { reference, kind, amount, currency, provider_reference: `p-${number}-${secret}` }
  switch (amount) {
    case manners.decline:
      return { status: 200, body: { ...record, status: 'declined', decline: { code: number, message } } }
    case manners.refuse:
      return { status: 422, body: { ...record, status: 'rejected', error: { code: number, message } } }
    case manners.page:
      return { status: 500, body: `<!doctype html><title>${message}</title>` }
    case manners.garbage:
      return { status: 200, body: `{"reference": "${number}", "message": "${message}", "status` }
    case manners.declineWhenAsked:
      return { status: 502, body: message }
    case manners.action: {
      const url = `https://bank.example/${number}?pan=${number}&secret=${secret}`
      const action = { type: 'redirect', url, expires_at: '2099-01-01T00:00:00.000Z' }
      return { status: 200, body: { ...record, status: 'action_required', action } }
    }
    default:
      return { status: 200, body: { ...record, status: 'succeeded', network_transaction_id: number } }
  }
}

/** Nobody who asks says which card it is about; the provider does all the same. */
function askedAbout(asked: Asked): Reply {
  const { reference, kind, amount, currency } = asked
  const decline = { code: 'do_not_honor', message: echoOf(asked) }
  return { status: 200, body: { reference, kind, amount, currency, status: 'declined', decline } }
}

function send(response: ServerResponse, { status, body }: Reply, echo: string): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', 'x-echo': echo }).end(text)
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += part
  return text
}

/** A word of it, signed as it should be, about an operation of ours. */
export function wordOf(
  path: string,
  secret: string,
  operation: object,
): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify({ id: `event_${Math.random()}`, type: 'operation.updated', operation })
  const signed = { role: 'callback', method: 'POST', path, body } as const
  const signature = sign(signed, [secret], Math.floor(Date.now() / 1000))
  return { body, headers: { 'content-type': 'application/json', 'switchyard-signature': signature } }
}
